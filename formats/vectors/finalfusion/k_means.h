#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace embd::finalfusion {

/// Finds the nearest centroid of one slice. The centroids are stored as columns, [dim, centroids].
/// Their number is filled up to a multiple of four with centroids that are never nearest.
class NearestCentroid {
 public:
  /// Takes `centroids` of shape [num_centroids, dim].
  NearestCentroid(std::span<const float> centroids, std::size_t num_centroids);

  /// Returns the number of the centroid nearest to `point`, [dim]; of equally near centroids, the
  /// first.
  std::uint8_t operator()(const float* point) const noexcept;

 private:
  std::size_t dim_;
  std::size_t width_;
  std::vector<float> columns_;     // [dim, width]
  std::vector<float> half_norms_;  // [width], |c|² / 2
};

/// The points of one slice of a matrix. Point i is at data + i × stride and has dim values. Not
/// owned.
struct Points {
  const float* data;
  std::size_t count;
  std::size_t stride;
  std::size_t dim;

  const float* at(std::size_t i) const noexcept { return data + i * stride; }
};

/// Chooses `num_centroids` of the points by k-means++ (Arthur, Vassilvitskii, 2007).
std::vector<float> choose_centroids(const Points& points, std::size_t num_centroids,
                                    std::uint64_t seed);

/// Runs one round of k-means. Writes the nearest centroid of each point to `codes`, then moves each
/// centroid to the mean of its points. A centroid without points moves to the point that is
/// farthest from its own centroid. Returns the sum of squared distances before the move.
double k_means_round(const Points& points, std::span<float> centroids,
                     std::span<std::uint8_t> codes);

/// Runs rounds of k-means until one improves the sum by less than one part in 10,000, and at most
/// `max_rounds`.
void k_means(const Points& points, std::span<float> centroids, int max_rounds);

}  // namespace embd::finalfusion
