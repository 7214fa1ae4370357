#pragma once

#include <compare>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "analysis/neighbour_graph.h"

namespace embd {

/// A link between two rows, ordered by distance, then by rows.
struct TreeLink {
  float distance = 0;
  std::uint32_t a = 0;  ///< less than b
  std::uint32_t b = 0;
  auto operator<=>(const TreeLink&) const = default;
};

/// Returns the links of the minimum spanning tree of all rows under the mutual reachability
/// distance: the greatest of the two rows' core distances and their 1 − cosine. The core distance
/// of a row is that of its (min_samples − 1)th neighbour. Sorted.
///
/// The tree is that of all pairs of rows where `is_exact`; otherwise that of the pairs of
/// neighbours, whose parts are tied together by links of distance 2. `graph` has at least
/// min_samples − 1 neighbours a row, unless there are fewer rows. The tree is the same on any
/// number of threads. Error: cancelled.
Result<std::vector<TreeLink>> spanning_tree(const CosineRows& rows, const NeighbourGraph& graph,
                                            std::size_t min_samples, bool is_exact, int threads,
                                            const std::stop_token& stop);

}  // namespace embd
