#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "tokenizer/wordpiece/normalize.h"

namespace embd::wordpiece {

/// A word after normalization, in memory of a fixed size: one that is longer than WordPiece takes
/// is only known to be so.
class Word {
 public:
  /// Code points of the longest word that WordPiece splits.
  static constexpr std::size_t max_code_points = 100;
  static constexpr std::size_t max_size = max_code_points * 4;

  bool empty() const noexcept { return code_points_ == 0; }
  bool too_long() const noexcept { return code_points_ > max_code_points; }
  /// UTF-8 of a word that is not too long, valid until the word changes.
  std::string_view text() const noexcept { return {utf8_.data(), size_}; }

  void clear() noexcept { size_ = code_points_ = 0; }
  void append(const NormalizedCharacter& character) noexcept;

 private:
  std::size_t size_ = 0;
  std::size_t code_points_ = 0;
  std::array<char, max_size> utf8_;
};

/// Puts the next word of `text` at or after `position` into `word` and moves `position` behind it;
/// false if there is none. Words are what white space separates, and each ideograph and punctuation
/// character alone. Reads `text` as UTF-8; what is malformed is left out. Throws std::bad_alloc as
/// Normalizer does.
bool next_word(const Normalizer& normalizer, std::string_view text, std::size_t& position,
               Word& word);

}  // namespace embd::wordpiece
