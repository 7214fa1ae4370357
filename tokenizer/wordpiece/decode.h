#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tokenizer/wordpiece/vocabulary.h"

namespace embd::wordpiece {

/// The text that tokens stand for, as `decode()` of Hugging Face's tokenizers makes it: pieces of a
/// word joined, words apart, no space before punctuation. Without the special tokens if asked. Ids
/// that are not in the vocabulary count for nothing.
std::string decode(const Vocabulary& vocabulary, std::span<const std::int32_t> ids,
                   bool skip_special);

}  // namespace embd::wordpiece
