#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "embd/hybrid.h"
#include "embd/searcher.h"

namespace embd {

/// Returns how many rows of each list are candidates for the k best rows.
constexpr std::size_t num_candidates(std::size_t k) noexcept {
  return std::max<std::size_t>(k, 100);
}

/// The functions that know the numbers of candidates for a query. The rows are ascending.
struct CandidateNumbers {
  /// Returns a hit with the distance for each row, in any order.
  std::function<Result<std::vector<RowHit>>(std::span<const std::uint64_t> rows)> distances;
  /// Returns the term score of each row.
  std::function<Result<std::vector<float>>(std::span<const std::uint64_t> rows)> term_scores;
};

/// Fuses the rows that were found for a query by its vector (`nearest`) and by its terms (`best`)
/// into a list of the k best. Each candidate gets the number that it lacks. Fails with the errors
/// of `numbers`.
Result<std::vector<FusedRow>> fuse_hits(const std::vector<RowHit>& nearest,
                                        const std::vector<TermHit>& best,
                                        const CandidateNumbers& numbers, std::size_t k);

}  // namespace embd
