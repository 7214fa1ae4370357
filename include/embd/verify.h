#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

#include "embd/error.h"
#include "embd/model.h"
#include "embd/texts.h"
#include "embd/vectors.h"

namespace embd {

/// The difference between two sequences of rows, collected row by row.
class VectorDifference {
 public:
  /// Adds the difference of one row, whose values are `a` in one sequence and `b` in the other.
  /// `row` is the number of the row, which text() mentions.
  void add_row(std::uint64_t row, std::span<const float> a, std::span<const float> b);

  /// Returns the number of rows that were added.
  std::uint64_t rows() const noexcept { return rows_; }
  /// Returns the number of rows in which all values are equal.
  std::uint64_t equal_rows() const noexcept { return equal_rows_; }
  /// Returns the largest difference of two values; infinite if one value is NaN and the other is
  /// not.
  double largest() const noexcept { return largest_; }
  /// Returns the number of the row with the largest difference; 0 if all rows are equal.
  std::uint64_t largest_row() const noexcept { return largest_row_; }
  /// Returns the place in that row, from 0, of the value with the largest difference.
  std::size_t largest_value() const noexcept { return largest_value_; }
  /// Returns a summary, such as "2000 rows, 1999 equal, largest difference 1.2e-07 (row 17, value
  /// 3)".
  std::string text() const;

 private:
  std::uint64_t rows_ = 0;
  std::uint64_t equal_rows_ = 0;
  double largest_ = 0;
  std::uint64_t largest_row_ = 0;
  std::size_t largest_value_ = 0;
};

/// Options for verifying vectors.
struct VerifyOptions {
  /// The options for encoding the texts. Options that are not set come from the recipe of the
  /// vectors.
  EncodeOptions encode = {};
  /// The number of rows to check, drawn at random with `seed`. 0, the default, checks all rows.
  std::uint64_t sample = 0;
  std::uint64_t seed = 0;  ///< the seed of the random numbers with which `sample` draws rows
  /// Continue if the recipe names another model or other options. By default that is an error.
  bool force = false;
  ReadOptions read = {};    ///< how to read the vectors
  InputOptions input = {};  ///< how to read the texts
};

/// The result of verify_records() and verify_file().
struct Verification {
  bool has_recipe = false;       ///< true if the vector set has a recipe
  bool has_window_rows = false;  ///< true if each window of a text has its own row
  /// True if the texts come from a file, or files, whose SHA-256 is not the one in the recipe. The
  /// texts themselves may still be equal.
  bool has_other_input = false;
  std::uint64_t num_rows = 0;  ///< rows of the vector set
  /// The number of rows that the texts give. If the vector set has another number of rows, only the
  /// rows that exist in both were compared.
  std::uint64_t num_expected = 0;
  /// The difference between the rows of the vector set and the newly computed rows, over all rows
  /// that were checked. Rows are compared in the type in which they are stored.
  VectorDifference difference;

  /// Returns true if the numbers of rows are equal and no two values differ by more than
  /// `tolerance`.
  bool is_good(double tolerance = 0) const noexcept {
    return num_rows == num_expected && difference.largest() <= tolerance;
  }
};

/// Embeds the texts again as the recipe of the vectors says, and compares the result with the
/// vectors. Vectors that differ are no error, but a result. Fails with recipe_mismatch if the
/// recipe names another model or other options (unless VerifyOptions::force is set), with bad_count
/// if the dimensions differ, with cancelled after a stop request, and with the errors of reading
/// and encoding.
Result<Verification> verify_records(const Model& model, const std::filesystem::path& vectors,
                                    RecordReader& texts, const VerifyOptions& options = {},
                                    std::stop_token stop = {});
/// Verifies vectors with the texts of a file or a folder, as verify_records() does.
Result<Verification> verify_file(const Model& model, const std::filesystem::path& vectors,
                                 const std::filesystem::path& texts,
                                 const VerifyOptions& options = {}, std::stop_token stop = {});

/// Compares vectors and texts with the digest that was recorded when the vectors were made. It
/// embeds nothing, so it is fast. Returns what differs, in words; empty if nothing differs or no
/// digest was recorded. Vectors stored in a narrower type than float32 are not compared; their ids
/// and texts are. Fails with checksum_mismatch if the recorded digest was changed, so that it
/// contradicts itself or the recipe beside it.
Result<std::string> compare_digests(const std::filesystem::path& vectors,
                                    const std::filesystem::path& texts,
                                    const ReadOptions& read = {}, const InputOptions& input = {});
/// Compares vectors and the texts of several files and folders, read one after the other, with the
/// digest that was recorded when the vectors were made, as the function for one file does.
Result<std::string> compare_digests(const std::filesystem::path& vectors,
                                    std::span<const std::filesystem::path> texts,
                                    const ReadOptions& read = {}, const InputOptions& input = {});

/// The result of compare_vectors().
struct Comparison {
  /// A description, in words, of how the numbers of rows, the dimensions or the ids of the two sets
  /// differ; empty if they are equal.
  std::string mismatch;
  VectorDifference difference;  ///< the difference of the rows; of no rows if there is a mismatch

  /// Returns true if there is no mismatch and no two values differ by more than `tolerance`.
  bool is_equal(double tolerance = 0) const noexcept {
    return mismatch.empty() && difference.largest() <= tolerance;
  }
};

/// Compares the ids and values of two vector sets of any format. Sets that differ are no error, but
/// a result.
Result<Comparison> compare_vectors(const VectorReader& a, const VectorReader& b);

}  // namespace embd
