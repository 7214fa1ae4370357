#pragma once

#include <cstdint>
#include <stop_token>

#include "analysis/centers.h"

namespace embd {

struct KMeansOptions {
  std::uint32_t k = 2;  ///< at least 1, at most the rows
  std::uint64_t seed = 0;
  int threads = 1;
  /// Starts of which the best result counts.
  std::uint32_t starts = 4;
  /// Rounds of a start at most.
  std::uint32_t rounds = 300;
  /// Sets of more rows are gone through in batches before a few rounds over all rows.
  std::uint64_t batch_above = 200'000;
};

struct KMeans {
  Matrix centers;  ///< [k, dim], unit rows; fewer where fewer rows differ
  Assignment assignment;
  double inertia = 0;  ///< the sum of all 1 − cosine
};

/// Groups rows by spherical k-means: each row goes to the center of the greatest cosine, each
/// center is the direction of its rows' mean. Starts are drawn by k-means++. The result depends on
/// the rows, k and the seed alone. Error: cancelled.
Result<KMeans> kmeans(const CosineRows& rows, const KMeansOptions& options,
                      const std::stop_token& stop);

/// Lloyd's rounds from `centers` [k, dim] on, options.rounds at most. Groups may be fewer than k.
/// Error: cancelled.
Result<KMeans> kmeans_from(const CosineRows& rows, Matrix centers, const KMeansOptions& options,
                           const std::stop_token& stop);

}  // namespace embd
