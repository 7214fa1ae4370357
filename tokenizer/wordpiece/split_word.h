#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tokenizer/wordpiece/pretokenize.h"
#include "tokenizer/wordpiece/vocabulary.h"

namespace embd::wordpiece {

/// Memory for the pieces of any word: each piece covers at least one byte of it.
using WordPieces = std::array<std::int32_t, Word::max_size>;

/// Splits a word, which must not be empty, into WordPiece tokens: takes the longest token from its
/// beginning, again and again. A word that cannot be split completely, or is too long, becomes one
/// unknown token. Returns the number of ids stored in `pieces`.
std::size_t split_word(const Vocabulary& vocabulary, const Word& word, WordPieces& pieces) noexcept;

}  // namespace embd::wordpiece
