#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace embd::finalfusion {

/// Centroids of one slice, laid out for finding the nearest one: [dim, centroids], the centroids
/// filled up to a multiple of four with ones that are never nearest.
class NearestCentroid {
 public:
  /// `centroids`: [num_centroids, dim].
  NearestCentroid(std::span<const float> centroids, std::size_t num_centroids);

  /// The nearest one to `point`, [dim]; of equally near ones the first.
  std::uint8_t operator()(const float* point) const noexcept;

 private:
  std::size_t dim_;
  std::size_t width_;
  std::vector<float> columns_;     // [dim, width]
  std::vector<float> half_norms_;  // [width], |c|² / 2
};

/// Points of one slice of a matrix: point i is at data + i × stride, [dim].
struct Points {
  const float* data;
  std::size_t count;
  std::size_t stride;
  std::size_t dim;

  const float* at(std::size_t i) const noexcept { return data + i * stride; }
};

/// `num_centroids` of the points, chosen by k-means++ (Arthur, Vassilvitskii, 2007).
std::vector<float> choose_centroids(const Points& points, std::size_t num_centroids,
                                    std::uint64_t seed);

/// One round: gives each point its nearest centroid in `codes`, then moves each centroid to the
/// mean of its points; one without points goes to the point that is worst off. Returns the sum of
/// squared distances before the move.
double k_means_round(const Points& points, std::span<float> centroids,
                     std::span<std::uint8_t> codes);

/// Rounds until they improve less than one part in 10,000, at most `max_rounds`.
void k_means(const Points& points, std::span<float> centroids, int max_rounds);

}  // namespace embd::finalfusion
