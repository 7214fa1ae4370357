#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/vectors.h"

namespace embd {

struct AgreementOptions {
  std::uint32_t k = 10;      ///< neighbours of a row, at least 1
  std::uint64_t sample = 0;  ///< compare those of so many rows, at equal steps; 0: of all
  int threads = 0;           ///< 0: what affinity and the cgroup allow; changes no result
};

/// How much two sets agree about one row.
struct RowAgreement {
  std::uint64_t row = 0;
  float overlap =
      0;  ///< the share of its k nearest rows in the one set that are so in the other, too
  /// Spearman's correlation of its distances in both sets to the rows that are among the k nearest
  /// in either, from -1 to 1; NaN where all of these are equal in one of them.
  float rank_correlation = 0;
};

/// How much two sets of vectors of the same texts agree about which rows are near one another: two
/// models, two arithmetics, vectors and what is left of them in a narrower type.
struct NeighbourAgreement {
  std::uint32_t k = 0;          ///< as asked for, but no more than there are other rows
  double overlap = 1;           ///< the mean of all rows compared
  double rank_correlation = 1;  ///< the mean of all rows where it is a number
  /// The rows that were compared, the ones that moved most first: by overlap, then by rank
  /// correlation, then by number.
  std::vector<RowAgreement> rows;
};

/// Compares the k nearest neighbours, by cosine, of rows `a` [n, dim] and `b` [n, any dim], where
/// row i of both is the same thing. All pairs are compared. Errors: invalid_argument for another
/// number of rows and for a k of 0; bad_value for a value that is not finite; cancelled;
/// out_of_memory.
Result<NeighbourAgreement> compare_neighbours(MatrixView a, MatrixView b,
                                              const AgreementOptions& options = {},
                                              std::stop_token stop = {});

/// compare_neighbours() for two sets of any formats with equal ids, or none. Errors: those of
/// opening and reading; invalid_argument where ids differ; unsupported for codes (int8, binary)
/// that stand for no values.
Result<NeighbourAgreement> compare_neighbours_of(const std::filesystem::path& a,
                                                 const std::filesystem::path& b,
                                                 const ReadOptions& read = {},
                                                 const AgreementOptions& options = {},
                                                 std::stop_token stop = {});

}  // namespace embd
