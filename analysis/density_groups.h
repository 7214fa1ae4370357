#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/spanning_tree.h"

namespace embd {

/// Finds groups of rows that lie densely, as HDBSCAN defines them. As links are cut, the longest
/// first, rows fall apart into smaller groups; of all groups with at least `min_size` rows, the
/// most stable ones are chosen. `tree` has the sorted links of a spanning tree of `num_rows` rows,
/// with distances 1 − cosine similarity; stability is measured in Euclidean distances between unit
/// rows. Returns the group of each row, numbered from 0; −1 for a row in no group.
std::vector<std::int32_t> density_groups(std::span<const TreeLink> tree, std::size_t num_rows,
                                         std::size_t min_size);

}  // namespace embd
