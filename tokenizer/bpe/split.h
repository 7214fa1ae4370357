#pragma once

#include <cstddef>
#include <string_view>

#include "tokenizer/bpe/options.h"

namespace embd::bpe {

/// Returns the end of the word that begins at `begin`, which must be below the text's size and a
/// place where a word ended. `text` is valid UTF-8. Every byte belongs to a word; white space
/// before a word may belong to it or be words of its own. Takes time linear in the word.
std::size_t word_end(WordPattern pattern, std::string_view text, std::size_t begin) noexcept;

}  // namespace embd::bpe
