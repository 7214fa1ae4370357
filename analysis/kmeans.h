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

}  // namespace embd
