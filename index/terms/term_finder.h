#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/terms.h"
#include "embd/tokens.h"
#include "index/terms/stemmer.h"

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

/// Finds the terms of texts, by the rules of docs/formats/terms.md. Not thread-safe.
class TermFinder {
 public:
  /// The most bytes in a term; a longer one is left out.
  static constexpr std::size_t max_term_bytes = 255;

  /// A function that receives a term, which is valid during the call, and its place in the text.
  using Take = std::function<void(std::string_view term, ByteRange place)>;

  /// Fails with the errors of terms().
  static Result<TermFinder> create(const TermOptions& options);

  /// Passes the terms of a text to `take`, in their order.
  Result<void> find(std::string_view text, const Take& take);

 private:
  using Characters = std::span<const Character>;

  explicit TermFinder(const TermOptions& options) : options_(options) {}

  Result<void> find_tokens(std::string_view text, const Take& take) const;
  void take_pairs(Characters run, const Take& take);
  void take_identifier(Characters run, const Take& take);
  void take_word(Characters word, const Take& take);
  void take_stem(Characters word, const Take& take);
  /// Makes `folded_` the characters in lower case, without accents if the stemmer wants that.
  void fold(Characters characters);

  TermOptions options_;
  std::optional<EnglishStemmer> stemmer_;
  std::string folded_;
};

/// Returns the recipe of an index of terms found with these options, which TermFinder::create() has
/// accepted. For tokens it computes the model's hash. Fails with the errors of Model::recipe().
Result<TermRecipe> term_recipe(const TermOptions& options);

}  // namespace embd
