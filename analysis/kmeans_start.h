#pragma once

#include <cstdint>
#include <stop_token>

#include "analysis/cosine_rows.h"
#include "analysis/seeded_random.h"

namespace embd {

/// Draws `k` rows as first centers by greedy k-means++: the next center is the best of a few rows
/// that are drawn by how far they are from the centers so far. [k, dim], of the rows' lengths.
/// `k` is at most the rows. Error: cancelled.
Result<Matrix> draw_centers(const CosineRows& rows, std::uint32_t k, Random& random, int threads,
                            const std::stop_token& stop);

}  // namespace embd
