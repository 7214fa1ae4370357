#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/model.h"
#include "embd/texts.h"
#include "embd/vectors.h"

namespace embd {

/// The choice of the row that is kept of each group of near-duplicates: the first row or the row
/// with the longest text.
enum class Keep : std::uint8_t {
  first,    ///< the first row
  longest,  ///< the row with the longest text; of equally long texts, the first
};

/// Options for finding near-duplicates.
struct DedupeOptions {
  /// The smallest cosine similarity at which two rows are near-duplicates: from -1 to 1, by default
  /// 0.9.
  double min_similarity = 0.9;
  Keep keep = Keep::first;
  /// The largest number of rows, by default 1,000,000, for which every pair of rows is compared. In
  /// larger sets, similar rows are looked up in an HNSW index, which misses a few pairs;
  /// DuplicateRecall tells how many.
  std::uint64_t exact_rows = 1'000'000;
  /// The number of threads; it changes no result. 0 means as many as the process's CPU affinity and
  /// cgroup allow.
  int threads = 0;
};

/// A pair of rows that are near-duplicates of each other.
struct DuplicatePair {
  /// One row of the pair: the later row or, if two sets are compared, the row of the first set.
  std::uint64_t row = 0;
  /// The other row of the pair: an earlier row or, if two sets are compared, a row of the other
  /// set.
  std::uint64_t other = 0;
  float similarity = 0;  ///< the cosine similarity of the two rows
  bool operator==(const DuplicatePair&) const = default;
};

/// A measurement of how many near-duplicate pairs an index finds. Some rows are drawn as a sample
/// and compared with all rows; the pairs found that way are the truth that the index is measured
/// against.
struct DuplicateRecall {
  std::uint64_t rows = 0;   ///< rows in the sample
  std::uint64_t pairs = 0;  ///< pairs that the sampled rows are in, found by comparing
  std::uint64_t found = 0;  ///< how many of these `pairs` the index found as well
  /// Returns the share of `pairs` that the index found, from 0 to 1; 1 if there are no pairs.
  double share() const noexcept {
    return pairs == 0 ? 1 : static_cast<double>(found) / static_cast<double>(pairs);
  }
};

/// The near-duplicates in a set of rows.
///
/// If several rows have the same bytes, each later row is paired only with the first of them, and
/// only the first is paired with other rows. A group contains all rows that are connected by pairs,
/// directly or through other rows. Two rows of a group may therefore be less similar than
/// `min_similarity`.
struct Duplicates {
  /// For each row, [rows], the row that is kept for its group. A row that is kept has its own
  /// number here.
  std::vector<std::uint64_t> representatives;
  /// The pairs, sorted by `row`, then by `other`.
  std::vector<DuplicatePair> pairs;
  /// The measured share of pairs that the index found. It is unset if every pair was compared.
  std::optional<DuplicateRecall> recall;

  /// Returns the number of rows that are kept.
  std::uint64_t num_kept() const noexcept;
};

/// Finds the near-duplicates among rows [n, dim]. `lengths` [n], in any unit, are the lengths of
/// the rows' texts; they are needed for Keep::longest only. The result depends neither on the
/// processor nor on the number of threads. Fails with invalid_argument for an option out of range
/// and if the number of `lengths` is wrong, with bad_value for a row with a value that is not
/// finite, with cancelled after a stop request, and with out_of_memory.
Result<Duplicates> find_duplicates(MatrixView rows, const DedupeOptions& options = {},
                                   std::span<const std::uint64_t> lengths = {},
                                   std::stop_token stop = {});

/// The rows of one set that have near-duplicates in another set, such as texts of a test set that
/// are also in the training set.
struct Leaks {
  /// The pairs of a row of the first set (`row`) and a row of the other set (`other`), sorted by
  /// `row`, then by `other`.
  std::vector<DuplicatePair> pairs;
  /// The measured share of pairs that the index found. It is unset if every pair was compared.
  std::optional<DuplicateRecall> recall;
};

/// Finds all pairs of a row of `rows` [n, dim] and a row of `others` [m, dim] that are
/// near-duplicates, exact copies included. `options.keep` is not used. `options.exact_rows` is
/// compared with the number of rows of the larger set. Fails as find_duplicates() does, and with
/// invalid_argument if the dimensions differ.
Result<Leaks> find_leaks(MatrixView rows, MatrixView others, const DedupeOptions& options = {},
                         std::stop_token stop = {});

/// Options for removing near-duplicates from the rows of a file.
struct DedupeFileOptions {
  DedupeOptions dedupe = {};
  /// The options for reading the input, if it is a vector set.
  ReadOptions read = {};
  /// A file with a text for each row, if the input is a vector set. If the path is empty, the texts
  /// stored in the vector set are used, if there are any.
  std::filesystem::path texts = {};
  InputOptions input = {};  ///< how to read texts
  /// The options for embedding texts. `encode.threads` is ignored; `dedupe.threads` is used
  /// instead.
  EncodeOptions encode = {};
  /// A file or folder of texts, or a vector set, to compare the rows with. If it is set, a row is
  /// removed if it has a near-duplicate in this file. If it is not set, rows of the input are
  /// compared with each other.
  std::filesystem::path against = {};
  /// A file for the list of all pairs, written as Parquet if its name ends in .parquet, as CSV if
  /// it ends in .csv, and otherwise as JSON Lines. If it is empty, no list is written.
  std::filesystem::path report = {};
};

/// The result of dedupe_file().
struct DedupeReport {
  std::uint64_t rows = 0;  ///< rows of the input
  std::uint64_t kept = 0;  ///< rows that were written to the outputs
  /// The number of groups of two or more rows; with DedupeFileOptions::against, the number of rows
  /// removed.
  std::uint64_t groups = 0;
  std::uint64_t pairs = 0;  ///< pairs of near-duplicates that were found
  /// The measured share of pairs that the index found. It is unset if every pair was compared.
  std::optional<DuplicateRecall> recall;
};

/// Writes the rows that are left when near-duplicates are removed. The inputs are files and folders
/// of texts, or one vector set of any format. Texts of several files are kept in one file, in the
/// order of the inputs; they must have the same format and, in tables, the same header. An output
/// gets texts, byte for byte as they stand in the
/// input, if its name is "-" (standard output) or has the extension of a text file; otherwise it
/// gets the vectors, with their ids and texts. Either all outputs appear, complete, or none does.
///
/// `model` embeds texts and may be null for a vector set. All vectors are held in memory, and for a
/// large set an index over them. Fails with invalid_argument for an output whose content the input
/// lacks (such as texts, if there is no file of texts) and for an output that is also read; with
/// recipe_mismatch if the vectors of the input and of `against` were made with different recipes;
/// and with the errors of reading, embedding, find_duplicates() and writing.
Result<DedupeReport> dedupe_file(const Model* model,
                                 const std::vector<std::filesystem::path>& inputs,
                                 const std::vector<std::filesystem::path>& outputs,
                                 const DedupeFileOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
