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

/// A checksum over a set of rows that does not depend on their order, nor on how they are split
/// over files and machines. It is the number of rows together with the sum, modulo 2^256, of a
/// SHA-256 hash of each row. The hash of a row covers the recipe, the row's id, its text (if texts
/// are given) and its float32 values.
///
/// A digest reveals accidents: a row that was lost, doubled or changed, or two rows whose vectors
/// were exchanged. It is not a cryptographic signature, because sets with a chosen sum can be
/// constructed. docs/formats/digest.md defines the bytes.
///
/// A value type. Threads must not change the same object at the same time.
class Digest {
 public:
  /// Makes the digest of no rows. `recipe` is the recipe of all rows that will be added; the
  /// default is for rows that no model made.
  explicit Digest(const Recipe& recipe = {});

  /// Adds rows [n, dim] with their ids and texts. Without ids, the rows are numbered from
  /// `first_row` on. `texts` has one text for each row; texts must be given in every call or in
  /// none. Fails with invalid_argument if the numbers of rows, ids and texts differ, or if texts
  /// are given in one call and not in another.
  Result<void> update(MatrixView rows, const Ids& ids, std::uint64_t first_row,
                      std::span<const std::string_view> texts = {});
  /// Adds all rows of another digest. Fails with recipe_mismatch if the other digest has a
  /// different recipe, and with invalid_argument if only one of the two has texts.
  Result<void> add(const Digest& other);

  /// Returns the number of rows that were added.
  std::uint64_t count() const noexcept { return count_; }
  /// Returns true if the rows were added with their texts, or if there are no rows.
  bool has_texts() const noexcept { return has_texts_.value_or(true); }
  /// Returns the sum over ids, texts and vectors as 64 hex digits. Without texts, it is the sum
  /// over ids and vectors.
  std::string hex() const;
  /// Returns the sum over ids and vectors as 64 hex digits. It can be computed again from a file of
  /// vectors alone.
  std::string vectors_hex() const;
  /// Returns the sum over ids and texts as 64 hex digits. It does not depend on the recipe, so it
  /// identifies the input. The result is empty if there are no texts.
  std::string input_hex() const;
  /// Returns the hash of all fields of the recipe that affect the vectors, as 64 hex digits.
  const std::string& recipe_hex() const noexcept { return recipe_hex_; }

  /// Returns the digest as JSON: {"count":…,"digest":…,"input_digest":…,"vectors_digest":…,
  /// "recipe_digest":…}. Without texts, "input_digest" is left out.
  std::string to_json() const;
  /// Reads a digest that to_json() wrote. Fails with bad_json, bad_type, bad_value or missing.
  static Result<Digest> from_json(std::string_view text);

  bool operator==(const Digest&) const = default;

 private:
  /// A number of 256 bits in four parts, the lowest 64 bits first.
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

/// Computes the digest of all rows of a vector set, with the recipe of the set. `texts` is a file
/// with one text for each row, or unset for a digest without texts. Fails with bad_count if the
/// number of texts is not the number of rows, with invalid_argument if texts are given for a set
/// whose rows are windows of texts, and with the errors of reading.
Result<Digest> digest_file(const std::filesystem::path& vectors, const ReadOptions& read = {},
                           const std::optional<std::filesystem::path>& texts = {},
                           const InputOptions& input = {});
/// Computes the digest of all rows of a vector set with the texts of several files and folders,
/// read one after the other. If `texts` is empty, the digest is without texts. Fails as the
/// function for one file does.
Result<Digest> digest_file(const std::filesystem::path& vectors, const ReadOptions& read,
                           std::span<const std::filesystem::path> texts,
                           const InputOptions& input = {});

}  // namespace embd
