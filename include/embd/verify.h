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

/// How far two sequences of rows are apart, gathered row by row.
class VectorDifference {
 public:
  /// `row`: its number, for the text.
  void add_row(std::uint64_t row, std::span<const float> a, std::span<const float> b);

  std::uint64_t rows() const noexcept { return rows_; }
  /// The number of rows in which every value is equal.
  std::uint64_t equal_rows() const noexcept { return equal_rows_; }
  /// The largest difference of two values; infinite where one is no number and the other is.
  double largest() const noexcept { return largest_; }
  /// The row of the largest difference.
  std::uint64_t largest_row() const noexcept { return largest_row_; }
  std::size_t largest_value() const noexcept { return largest_value_; }
  /// "2000 rows, 1999 equal, largest difference 1.2e-07 (row 17, value 3)".
  std::string text() const;

 private:
  std::uint64_t rows_ = 0;
  std::uint64_t equal_rows_ = 0;
  double largest_ = 0;
  std::uint64_t largest_row_ = 0;
  std::size_t largest_value_ = 0;
};

struct VerifyOptions {
  /// How the texts are encoded. An option that is not set comes from the recipe.
  EncodeOptions encode = {};
  /// Check so many rows, drawn by `seed`; 0: all.
  std::uint64_t sample = 0;
  std::uint64_t seed = 0;
  /// Go on where the recipe is of another model or of other options.
  bool force = false;
  ReadOptions read = {};    ///< of the vectors
  InputOptions input = {};  ///< of the file of texts
};

struct Verification {
  bool has_recipe = false;
  bool has_window_rows = false;  ///< each window of a text has a row
  std::uint64_t num_rows = 0;    ///< of the vector set
  /// Rows that the texts make. Where it is another number, only the rows that both have were
  /// compared.
  std::uint64_t num_expected = 0;
  VectorDifference difference;  ///< of the rows checked, each in the type in which it is stored

  bool is_good(double tolerance = 0) const noexcept {
    return num_rows == num_expected && difference.largest() <= tolerance;
  }
};

/// Embeds the texts again as the recipe of the vectors says and compares. Errors: recipe_mismatch
/// where the recipe is of another model (unless VerifyOptions.force), bad_count where rows have
/// another number of values, and those of reading and encoding.
Result<Verification> verify_records(const Model& model, const std::filesystem::path& vectors,
                                    RecordReader& texts, const VerifyOptions& options = {},
                                    std::stop_token stop = {});
/// Opens a file of texts, or the files of a folder, and calls verify_records().
Result<Verification> verify_file(const Model& model, const std::filesystem::path& vectors,
                                 const std::filesystem::path& texts,
                                 const VerifyOptions& options = {}, std::stop_token stop = {});

/// Compares the vectors and the texts with the digest that was written down when the vectors were
/// made, without embedding anything. Returns in words what differs; empty if nothing does, or if no
/// digest was written. Vectors that are stored in a narrower type than float32 are not looked at.
Result<std::string> compare_digests(const std::filesystem::path& vectors,
                                    const std::filesystem::path& texts,
                                    const ReadOptions& read = {}, const InputOptions& input = {});
/// Compares with the texts of several files and folders.
Result<std::string> compare_digests(const std::filesystem::path& vectors,
                                    std::span<const std::filesystem::path> texts,
                                    const ReadOptions& read = {}, const InputOptions& input = {});

struct Comparison {
  /// Empty if both sets have rows of one shape and the same ids; else what differs, in words.
  std::string mismatch;
  VectorDifference difference;

  bool is_equal(double tolerance = 0) const noexcept {
    return mismatch.empty() && difference.largest() <= tolerance;
  }
};

/// Ids and values of two vector sets, of any formats.
Result<Comparison> compare_vectors(const VectorReader& a, const VectorReader& b);

}  // namespace embd
