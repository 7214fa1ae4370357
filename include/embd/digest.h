#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/recipe.h"
#include "embd/texts.h"
#include "embd/vectors.h"

namespace embd {

/// One number for a set of rows, whatever their order, their partition over files and machines, and
/// however often a part was tried: the sum of a SHA-256 of each row, modulo 2^256, beside their
/// count. A row's hash covers its id, its text where texts are given, and its float32 values, and
/// is bound to the recipe, so that a sum over vectors of two models cannot come about. It tells
/// faults (a row lost, doubled, changed, or two rows whose vectors were exchanged); it is no
/// signature against somebody who searches for two sets with one sum. docs/formats/digest.md has
/// the bytes.
///
/// A value; not to be changed by two threads at once.
class Digest {
 public:
  /// `recipe`: of all rows; one without a model binds the rows to no model.
  explicit Digest(const Recipe& recipe = {});

  /// Adds rows [n, dim] with their ids and their texts. Without ids, rows are numbered from
  /// `first_row` on. `texts`: one a row, in every call, or none in every call. Error:
  /// invalid_argument if the counts differ, or texts are given at one time and not at another.
  Result<void> update(MatrixView rows, const Ids& ids, std::uint64_t first_row,
                      std::span<const std::string_view> texts = {});
  /// Adds what another digest has summed. Error: recipe_mismatch if it is of another recipe;
  /// invalid_argument if one has texts and the other has not.
  Result<void> add(const Digest& other);

  std::uint64_t count() const noexcept { return count_; }
  /// True if the rows came with texts (or if there are no rows).
  bool has_texts() const noexcept { return has_texts_.value_or(true); }
  /// The sum over ids, texts and vectors, 64 hex digits; over ids and vectors where no texts came.
  std::string hex() const;
  /// The sum over ids and vectors: what can be made again from a file of vectors alone.
  std::string vectors_hex() const;
  /// The sum over ids and texts, of no recipe: the input's. Empty where no texts came.
  std::string input_hex() const;
  /// The hash of all fields of the recipe that decide the vectors, 64 hex digits.
  const std::string& recipe_hex() const noexcept { return recipe_hex_; }

  /// {"count":…,"digest":…,"input_digest":…,"vectors_digest":…,"recipe_digest":…}, without the
  /// input's where no texts came.
  std::string to_json() const;
  /// Reads a digest that to_json() wrote. Errors: bad_json, bad_type, bad_value, missing.
  static Result<Digest> from_json(std::string_view text);

  bool operator==(const Digest&) const = default;

 private:
  /// A number of 256 bits, the lowest 64 first.
  using Number = std::array<std::uint64_t, 4>;
  static void add_to(Number& sum, const Number& term) noexcept;
  static Number number_of(const std::array<std::byte, 32>& hash);
  static std::string hex_of(const Number& number);
  static std::optional<Number> number_from(std::string_view hex);
  Result<void> check_texts(bool given);

  std::string recipe_hex_;
  std::uint64_t count_ = 0;
  std::optional<bool> has_texts_;
  Number rows_ = {};
  Number vectors_ = {};
  Number input_ = {};
};

/// The digest of all rows of a vector set, bound to its recipe. `texts`: the texts of the rows, one
/// a row; or none. Errors: bad_count where there is another number of texts; invalid_argument for
/// texts where each window of a text has a row of its own; those of reading.
Result<Digest> digest_file(const std::filesystem::path& vectors, const ReadOptions& read = {},
                           const std::optional<std::filesystem::path>& texts = {},
                           const InputOptions& input = {});
/// The same with the texts of several files and folders; or without texts for none.
Result<Digest> digest_file(const std::filesystem::path& vectors, const ReadOptions& read,
                           std::span<const std::filesystem::path> texts,
                           const InputOptions& input = {});

}  // namespace embd
