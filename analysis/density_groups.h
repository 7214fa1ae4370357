#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/neighbour_graph.h"

namespace embd {

/// A link between the rows a and b, a < b. Links are ordered by distance, then by a and b.
struct TreeLink {
  float distance = 0;
  std::uint32_t a = 0;  ///< the smaller row number
  std::uint32_t b = 0;
  auto operator<=>(const TreeLink&) const = default;
};

/// Returns the sorted links of the minimum spanning tree of all rows under the mutual reachability
/// distance: the greatest of the core distances of both rows and their distance, 1 − cosine
/// similarity. The core distance of a row is the distance to its (min_samples − 1)th neighbour.
///
/// If `is_exact` is true, the tree is over all pairs of rows. Otherwise it is over the pairs of
/// neighbours, and parts that these do not connect are linked by a distance of 2. `graph` must have
/// at least min_samples − 1 neighbours for each row, unless there are fewer rows. The tree does not
/// depend on the number of threads. Fails with cancelled.
Result<std::vector<TreeLink>> spanning_tree(const CosineRows& rows, const NeighbourGraph& graph,
                                            std::size_t min_samples, bool is_exact, int threads,
                                            const std::stop_token& stop);

/// Finds groups of rows that lie densely, as HDBSCAN defines them. As links are cut, the longest
/// first, rows fall apart into smaller groups; of all groups with at least `min_size` rows, the
/// most stable ones are chosen. `tree` has the sorted links of a spanning tree of `num_rows` rows,
/// with distances 1 − cosine similarity; stability is measured in Euclidean distances between unit
/// rows. Returns the group of each row, numbered from 0; −1 for a row in no group.
std::vector<std::int32_t> density_groups(std::span<const TreeLink> tree, std::size_t num_rows,
                                         std::size_t min_size);

}  // namespace embd
