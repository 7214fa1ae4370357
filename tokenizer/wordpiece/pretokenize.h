#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "tokenizer/wordpiece/normalize.h"

namespace embd::wordpiece {

/// A word after normalization, in memory of a fixed size. A word that is too long for WordPiece is
/// not stored; it is only known to be too long.
class Word {
 public:
  /// The largest number of code points of a word that WordPiece splits.
  static constexpr std::size_t max_code_points = 100;
  static constexpr std::size_t max_size = max_code_points * 4;

  bool empty() const noexcept { return code_points_ == 0; }
  bool too_long() const noexcept { return code_points_ > max_code_points; }
  /// Returns the UTF-8 text of a word that is not too long, valid until the word changes.
  std::string_view text() const noexcept { return {utf8_.data(), size_}; }

  void clear() noexcept { size_ = code_points_ = 0; }
  void append(const NormalizedCharacter& character) noexcept;

 private:
  std::size_t size_ = 0;
  std::size_t code_points_ = 0;
  std::array<char, max_size> utf8_;
};

/// Stores the next word of `text` at or after `position` in `word`, and moves `position` to its
/// end. Returns false if there is none. Words are separated by white space; each ideograph and each
/// punctuation character is a word of its own. `text` is UTF-8; malformed bytes are skipped. Throws
/// std::bad_alloc.
bool next_word(const Normalizer& normalizer, std::string_view text, std::size_t& position,
               Word& word);

}  // namespace embd::wordpiece
