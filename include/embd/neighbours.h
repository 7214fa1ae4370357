#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/vectors.h"

namespace embd {

/// Options for comparing the neighbours of rows in two vector sets.
struct AgreementOptions {
  std::uint32_t k = 10;      ///< neighbours of each row to compare, at least 1
  std::uint64_t sample = 0;  ///< rows to compare, taken at equal steps; 0 compares all
  /// The number of threads; it changes no result. 0 means as many as the process's CPU affinity and
  /// cgroup allow.
  int threads = 0;
};

/// The agreement of two vector sets about the neighbours of one row.
struct RowAgreement {
  std::uint64_t row = 0;  ///< the number of the row in both sets
  /// The share of the row's k nearest rows in one set that are among its k nearest rows in the
  /// other set, too: 0 to 1.
  float overlap = 0;
  /// Spearman's rank correlation, from -1 to 1, between the row's distances in the one set and in
  /// the other. It is taken over all rows that are among the k nearest in at least one set. It is
  /// NaN if all these distances are equal in one set.
  float rank_correlation = 0;
};

/// The agreement of two vector sets about which rows are near each other. Both must be made of the
/// same texts, for instance by two models, in two arithmetics, or stored in two types.
struct NeighbourAgreement {
  /// The number of neighbours compared for each row: AgreementOptions::k, or fewer if there are not
  /// so many other rows.
  std::uint32_t k = 0;
  double overlap = 1;           ///< the mean overlap of all rows compared
  double rank_correlation = 1;  ///< the mean rank correlation, without rows where it is NaN
  /// All rows compared. The rows whose neighbours differ most come first: they are sorted by
  /// overlap, then by rank correlation, then by row number.
  std::vector<RowAgreement> rows;
};

/// Compares the k nearest neighbours, by cosine similarity, of rows `a` [n, dim] and `b` [n, other
/// dim]. Row i of both must stand for the same text. Neighbours are found by comparing with every
/// row. Fails with invalid_argument if the numbers of rows differ or k is 0, with bad_value for a
/// value that is not finite, with cancelled after a stop request, and with out_of_memory.
Result<NeighbourAgreement> compare_neighbours(MatrixView a, MatrixView b,
                                              const AgreementOptions& options = {},
                                              std::stop_token stop = {});

/// Compares the neighbours of two vector sets in files of any format, as compare_neighbours() does.
/// Both sets must have the same ids, or none. Fails with invalid_argument if the ids differ, with
/// unsupported for rows that are codes (int8, binary), and with the errors of opening and reading.
Result<NeighbourAgreement> compare_neighbours_of(const std::filesystem::path& a,
                                                 const std::filesystem::path& b,
                                                 const ReadOptions& read = {},
                                                 const AgreementOptions& options = {},
                                                 std::stop_token stop = {});

}  // namespace embd
