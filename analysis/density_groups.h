#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/spanning_tree.h"

namespace embd {

/// Groups of rows that lie densely, by the definition of HDBSCAN: the most stable ones of all
/// groups of at least `min_size` rows that fall apart as links are cut, the longest first. `tree`:
/// the sorted links of a spanning tree of `num_rows` rows, whose distances are 1 − cosine;
/// stability is counted in lengths between unit rows. Returns the group of each row, numbered from
/// 0; −1 for a row that is in none.
std::vector<std::int32_t> density_groups(std::span<const TreeLink> tree, std::size_t num_rows,
                                         std::size_t min_size);

}  // namespace embd
