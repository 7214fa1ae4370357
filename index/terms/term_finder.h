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
#include "index/terms/stemmer.h"
#include "index/terms/word_runs.h"

namespace embd {

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
