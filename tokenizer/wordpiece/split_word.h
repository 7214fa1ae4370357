#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tokenizer/wordpiece/pretokenize.h"
#include "tokenizer/wordpiece/vocabulary.h"

namespace embd::wordpiece {

/// Room for the pieces of any word: every piece takes at least a byte of it.
using WordPieces = std::array<std::int32_t, Word::max_size>;

/// WordPiece: takes the longest token from the front of a word that is not empty, again and again.
/// A word that cannot be cut up wholly, or is too long, is one unknown token. Returns the number of
/// ids put into `pieces`.
std::size_t split_word(const Vocabulary& vocabulary, const Word& word, WordPieces& pieces) noexcept;

}  // namespace embd::wordpiece
