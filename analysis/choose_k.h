#pragma once

#include <cstdint>
#include <stop_token>

#include "analysis/kmeans.h"

namespace embd {

/// Returns the mean silhouette of all rows, from −1 to 1, with 1 − cosine similarity as distance.
/// It tells how much nearer rows are to their own group than to the next one. A row that is alone
/// in its group counts as 0. The number of threads changes no bit.
Result<double> mean_silhouette(const CosineRows& rows, const Assignment& assignment,
                               std::size_t num_groups, int threads);

/// Returns the number of groups with the greatest mean silhouette on a sample of the rows. It is at
/// least 2, and at most 128 and the square root of the sample's size; for fewer than four rows it
/// is 1 (0 for none). A few rounds of k-means find the groups for each number; the best four are
/// refined further. `options.k` is not used. Fails with cancelled.
Result<std::uint32_t> choose_k(const CosineRows& rows, const KMeansOptions& options,
                               const std::stop_token& stop);

}  // namespace embd
