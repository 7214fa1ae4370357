#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/model.h"
#include "embd/texts.h"
#include "embd/vectors.h"

namespace embd {

/// Which row of a group of near-duplicates stands for it and is kept.
enum class Keep : std::uint8_t {
  first,    ///< the first
  longest,  ///< the one of the longest text, the first of equally long ones
};

struct DedupeOptions {
  /// Two rows are near-duplicates from this cosine on. Between -1 and 1.
  double min_similarity = 0.9;
  Keep keep = Keep::first;
  /// Up to so many rows all pairs are compared. Beyond, near rows are looked up in a HNSW index,
  /// which misses a few: DuplicateRecall says how many.
  std::uint64_t exact_rows = 1'000'000;
  int threads = 0;  ///< 0: what affinity and the cgroup allow; changes no result
};

/// Two rows that are near-duplicates.
struct DuplicatePair {
  std::uint64_t row = 0;
  std::uint64_t other = 0;  ///< a row before it; or, of two sets, a row of the other one
  float similarity = 0;     ///< their cosine
  bool operator==(const DuplicatePair&) const = default;
};

/// How many pairs an index finds, measured: the pairs of some rows, which were compared with all.
struct DuplicateRecall {
  std::uint64_t rows = 0;   ///< in the sample
  std::uint64_t pairs = 0;  ///< of the sample's rows, by comparing
  std::uint64_t found = 0;  ///< of these, by the index
  double share() const noexcept {
    return pairs == 0 ? 1 : static_cast<double>(found) / static_cast<double>(pairs);
  }
};

/// The near-duplicates of a set of rows.
///
/// Copies, rows with the same bytes, are paired with the first of their kind alone; all other pairs
/// are of rows that are no copies. A group is all rows that lead to one another by pairs. Two rows
/// of it may be less similar than asked for, where others lie between them.
struct Duplicates {
  /// [rows], the row that is kept in place of each: its own number for a row that is kept.
  std::vector<std::uint64_t> representatives;
  /// By row, then by other.
  std::vector<DuplicatePair> pairs;
  std::optional<DuplicateRecall> recall;  ///< nothing where all pairs were compared

  std::uint64_t num_kept() const noexcept;
};

/// Finds the near-duplicates of rows [n, dim]. `lengths`: of the rows' texts, [n], for
/// Keep::longest; else none. The result depends neither on the processor nor on the threads.
/// Errors: invalid_argument for options that are out of range and for another number of lengths;
/// bad_value for a row with a value that is not finite; cancelled; out_of_memory.
Result<Duplicates> find_duplicates(MatrixView rows, const DedupeOptions& options = {},
                                   std::span<const std::uint64_t> lengths = {},
                                   std::stop_token stop = {});

/// The rows of one set that have near-duplicates in another, such as texts of a test set that are
/// in the training set, too.
struct Leaks {
  /// By row, then by other, a row of the other set.
  std::vector<DuplicatePair> pairs;
  std::optional<DuplicateRecall> recall;
};

/// Finds the pairs of a row of `rows` [n, dim] and a row of `others` [m, dim] that are
/// near-duplicates; copies of copies, too. `options.keep` is not used. DedupeOptions.exact_rows is
/// compared with the rows of the larger set. Errors: as find_duplicates(); invalid_argument for
/// rows of different dimensions.
Result<Leaks> find_leaks(MatrixView rows, MatrixView others, const DedupeOptions& options = {},
                         std::stop_token stop = {});

struct DedupeFileOptions {
  DedupeOptions dedupe = {};
  /// How a vector set is read.
  ReadOptions read = {};
  /// The texts of a vector set; empty: those that the set holds, if it holds any.
  std::filesystem::path texts = {};
  InputOptions input = {};  ///< of texts
  /// How texts are embedded.
  EncodeOptions encode = {};
  /// Rows that are near a row of this file are removed, instead of those near one another; empty:
  /// none. Texts or vectors, as the input is.
  std::filesystem::path against = {};
  /// All pairs, as Parquet if the name ends in .parquet, otherwise as JSON Lines; empty: no report.
  std::filesystem::path report = {};
};

struct DedupeReport {
  std::uint64_t rows = 0;
  std::uint64_t kept = 0;
  std::uint64_t groups = 0;  ///< of two rows and more; of DedupeFileOptions.against: rows removed
  std::uint64_t pairs = 0;
  std::optional<DuplicateRecall> recall;
};

/// Writes an input without its near-duplicates: texts byte for byte as they stand, or a vector set
/// of any format with its ids and texts. An output whose name ends as that of a file of texts, and
/// "-", takes the texts; others take vectors. All outputs appear whole, or none does. `model`
/// embeds texts; it may be null for a vector set. Memory: the vectors, and the index where there is
/// one. Errors: those of reading, embedding and writing; those of find_duplicates();
/// invalid_argument for an output that cannot have what is asked for, and for one that is read,
/// too.
Result<DedupeReport> dedupe_file(const Model* model, const std::filesystem::path& input,
                                 const std::vector<std::filesystem::path>& outputs,
                                 const DedupeFileOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
