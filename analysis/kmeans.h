#pragma once

#include <cstdint>
#include <stop_token>

#include "analysis/centers.h"
#include "analysis/cosine_rows.h"
#include "analysis/seeded_random.h"

namespace embd {

struct KMeansOptions {
  std::uint32_t k = 2;  ///< the number of groups, from 1 to the number of rows
  std::uint64_t seed = 0;
  int threads = 1;
  /// The number of starts, of which the best result is taken.
  std::uint32_t starts = 4;
  /// The largest number of rounds after a start.
  std::uint32_t rounds = 300;
  /// Sets with more rows than this are processed in batches first, then in a few rounds over all
  /// rows.
  std::uint64_t batch_above = 200'000;
};

struct KMeans {
  /// The centers, [k, dim], of length 1. There are fewer if fewer rows are different.
  Matrix centers;
  Assignment assignment;
  double inertia = 0;  ///< the sum of the distances of all rows, 1 − cosine similarity
};

/// Groups rows by spherical k-means: each row belongs to the center with the highest cosine
/// similarity, and each center is the direction of the mean of its rows. Starts are drawn by
/// k-means++. The result depends only on the rows, k and the seed. Fails with cancelled.
Result<KMeans> kmeans(const CosineRows& rows, const KMeansOptions& options,
                      const std::stop_token& stop);

/// Runs at most `options.rounds` rounds of Lloyd's algorithm from `centers` [k, dim] on. The result
/// may have fewer than k groups. Fails with cancelled.
Result<KMeans> kmeans_from(const CosineRows& rows, Matrix centers, const KMeansOptions& options,
                           const std::stop_token& stop);

/// Draws `k` rows, at most all, as first centers by greedy k-means++: of a few rows that are drawn
/// with a probability that grows with their distance to the centers so far, the best becomes the
/// next center. Returns the rows, [k, dim], not scaled. Fails with cancelled.
Result<Matrix> draw_centers(const CosineRows& rows, std::uint32_t k, Random& random, int threads,
                            const std::stop_token& stop);

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
