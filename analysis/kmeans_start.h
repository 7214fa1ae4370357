#pragma once

#include <cstdint>
#include <stop_token>

#include "analysis/cosine_rows.h"
#include "analysis/seeded_random.h"

namespace embd {

/// Draws `k` rows, at most all, as first centers by greedy k-means++: of a few rows that are drawn
/// with a probability that grows with their distance to the centers so far, the best becomes the
/// next center. Returns the rows, [k, dim], not scaled. Fails with cancelled.
Result<Matrix> draw_centers(const CosineRows& rows, std::uint32_t k, Random& random, int threads,
                            const std::stop_token& stop);

}  // namespace embd
