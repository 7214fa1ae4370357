#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tokenizer/wordpiece/vocabulary.h"

namespace embd::wordpiece {

/// Returns the text that tokens stand for, as decode() of Hugging Face's tokenizers does: pieces of
/// a word joined, spaces between words, no space before punctuation. Special tokens are left out if
/// `skip_special` is true. Ids outside the vocabulary are ignored.
std::string decode(const Vocabulary& vocabulary, std::span<const std::int32_t> ids,
                   bool skip_special);

}  // namespace embd::wordpiece
