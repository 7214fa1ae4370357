#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "embd/tokens.h"

namespace embd {

/// A character of a text in the form NFKC, and the bytes of the text that it comes from.
struct Character {
  char32_t code_point = 0;
  ByteRange place;
};

/// Returns true for letters, marks and digits.
bool is_word_part(char32_t code_point) noexcept;

/// Reads a text character by character in the form NFKC. Characters that a reader does not see,
/// such as soft hyphens, are left out. Bytes that are not UTF-8 give U+FFFD.
class CharacterReader {
 public:
  /// The most code points that are normalized together: a letter with its marks. More marks than
  /// this are not ordered, as in Unicode's stream-safe format.
  static constexpr std::size_t max_unit = 32;

  explicit CharacterReader(std::string_view text) : text_(text) {}

  /// Returns the next character; nullopt at the end.
  std::optional<Character> next();

 private:
  void read_unit();

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Character> unit_;  // normalized characters
  std::size_t unit_at_ = 0;      // the next of them
};

/// A run of characters in which terms are found.
struct WordRun {
  /// Letters, marks and digits, and in a run that is not paired also single joiners between them.
  std::span<const Character> characters;
  /// True for scripts whose words are not found by spaces: each pair of characters is a term.
  bool is_paired = false;
};

/// Divides a text into runs.
class WordRunReader {
 public:
  /// The most characters in a run; a longer one is cut.
  static constexpr std::size_t max_characters = 1024;

  explicit WordRunReader(std::string_view text) : characters_(text) {}

  /// Returns the next run, which is valid until the next call; nullopt at the end.
  std::optional<WordRun> next();

 private:
  void collect(bool is_paired);

  CharacterReader characters_;
  std::optional<Character> ahead_;
  std::vector<Character> run_;
};

}  // namespace embd
