#pragma once

#include <cstdint>
#include <stop_token>

#include "analysis/kmeans.h"

namespace embd {

/// The mean silhouette of all rows under 1 − cosine: how much nearer a row is to its own group than
/// to the next one, from −1 to 1. A row alone in its group counts 0. `threads` changes no bit.
Result<double> mean_silhouette(const CosineRows& rows, const Assignment& assignment,
                               std::size_t num_groups, int threads);

/// Returns the number of groups, from 2 to the square root of the rows or 128, whose mean
/// silhouette on a sample of the rows is the greatest. A few rounds of k-means find the groups of
/// each number; the best four are followed further. 1 for fewer than four rows. `options.k` is not
/// used. Error: cancelled.
Result<std::uint32_t> choose_k(const CosineRows& rows, const KMeansOptions& options,
                               const std::stop_token& stop);

}  // namespace embd
