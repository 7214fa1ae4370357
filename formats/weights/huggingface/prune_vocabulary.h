#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "embd/error.h"
#include "formats/weights/huggingface/model_folder.h"

namespace embd::huggingface {

/// Returns the ids of the pieces that a model needs for `texts`, in ascending order:
/// - the pieces of the texts, alone and after each prompt of the model, and of the prompts;
/// - each character of these pieces that is a piece itself;
/// - the special tokens and the added ones, and the pieces of bytes if the tokenizer falls back to
/// bytes;
/// - a piece with the lowest score, which determines the score of the unknown piece.
///
/// If a model keeps only these pieces, in their order and with their scores, every text whose
/// pieces are among them is tokenized as before. Fails with unsupported if the tokenizer is not
/// Unigram, with the errors of UnigramTokenizer, and with out_of_memory.
Result<std::vector<std::int32_t>> needed_pieces(const ModelFolder& model,
                                                std::span<const std::string> texts);

/// Removes all pieces from the vocabulary except those in `kept`, which has their ids in ascending
/// order. They get the ids 0, 1, 2, …. `kept` must have all special and
/// added tokens.
void keep_pieces(ModelFolder& model, std::span<const std::int32_t> kept);

}  // namespace embd::huggingface
