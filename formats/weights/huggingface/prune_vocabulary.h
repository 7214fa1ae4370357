#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "embd/error.h"
#include "formats/weights/huggingface/model_folder.h"

namespace embd::huggingface {

/// Returns, in growing order, the ids of the pieces that a model needs for `texts`: those that it
/// cuts them into, alone and behind each of its prompts; of the characters of these, those that are
/// pieces; the special tokens; the pieces of bytes, where bytes fall back; and one with the lowest
/// score, from which the unknown piece's comes.
///
/// With these pieces alone, in the same order and with the same scores, every text whose pieces are
/// among them is cut as before. Errors: unsupported for a tokenizer that is not Unigram, and those
/// of UnigramTokenizer; out_of_memory.
Result<std::vector<std::int32_t>> needed_pieces(const ModelFolder& model,
                                                std::span<const std::string> texts);

/// Leaves the pieces `kept`, ids in growing order, as 0, 1, 2 and so on. The special tokens are
/// among them.
void keep_pieces(ModelFolder& model, std::span<const std::int32_t> kept);

}  // namespace embd::huggingface
