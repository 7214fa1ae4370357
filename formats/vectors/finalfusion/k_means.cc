#include "formats/vectors/finalfusion/k_means.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

namespace embd::finalfusion {
namespace {

constexpr std::size_t lanes = 4;
using Floats = float __attribute__((vector_size(lanes * sizeof(float))));
using Ints = std::int32_t __attribute__((vector_size(lanes * sizeof(std::int32_t))));

Floats load(const float* from) {
  Floats values;
  std::memcpy(&values, from, sizeof(values));
  return values;
}

double squared_distance(const float* a, const float* b, std::size_t dim) {
  double sum = 0;
  for (std::size_t i = 0; i < dim; ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  return sum;
}

/// Returns a random number in [0, 1) that is the same on every platform, unlike the distributions
/// of the standard library.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

}  // namespace

NearestCentroid::NearestCentroid(std::span<const float> centroids, std::size_t num_centroids)
    : dim_(centroids.size() / num_centroids),
      width_((num_centroids + lanes - 1) / lanes * lanes),
      columns_(dim_ * width_),
      half_norms_(width_, std::numeric_limits<float>::infinity()) {
  for (std::size_t c = 0; c < num_centroids; ++c) {
    double norm = 0;
    for (std::size_t j = 0; j < dim_; ++j) {
      const float value = centroids[c * dim_ + j];
      columns_[j * width_ + c] = value;
      norm += double{value} * value;
    }
    half_norms_[c] = static_cast<float>(norm / 2);
  }
}

std::uint8_t NearestCentroid::operator()(const float* point) const noexcept {
  // |x − c|² is smallest where x·c − |c|²/2 is greatest.
  Floats best = load(half_norms_.data());
  Ints best_at = {};
  for (std::size_t c = 0; c < width_; c += lanes) {
    Floats score = -load(half_norms_.data() + c);
    for (std::size_t j = 0; j < dim_; ++j) score += point[j] * load(&columns_[j * width_ + c]);
    const Ints better = c == 0 ? ~Ints{} : score > best;
    best = better ? score : best;
    best_at = better ? Ints{} + static_cast<std::int32_t>(c) : best_at;
  }
  std::size_t nearest = static_cast<std::size_t>(best_at[0]);
  float nearest_score = best[0];
  for (std::size_t lane = 1; lane < lanes; ++lane) {
    const std::size_t c = static_cast<std::size_t>(best_at[lane]) + lane;
    if (best[lane] > nearest_score || (best[lane] == nearest_score && c < nearest)) {
      nearest = c;
      nearest_score = best[lane];
    }
  }
  return static_cast<std::uint8_t>(nearest);
}

std::vector<float> choose_centroids(const Points& points, std::size_t num_centroids,
                                    std::uint64_t seed) {
  std::vector<float> centroids(num_centroids * points.dim);
  if (points.count == 0) return centroids;
  std::mt19937_64 random(seed);
  std::vector<double> distances(points.count, std::numeric_limits<double>::max());
  std::size_t chosen = random() % points.count;
  for (std::size_t c = 0; c < num_centroids; ++c) {
    const float* centroid = points.at(chosen);
    std::copy_n(centroid, points.dim, centroids.begin() + c * points.dim);
    double total = 0;
    for (std::size_t i = 0; i < points.count; ++i) {
      distances[i] = std::min(distances[i], squared_distance(points.at(i), centroid, points.dim));
      total += distances[i];
    }
    double left = uniform(random) * total;
    for (chosen = 0; chosen + 1 < points.count; ++chosen) {
      left -= distances[chosen];
      if (left < 0) break;
    }
  }
  return centroids;
}

double k_means_round(const Points& points, std::span<float> centroids,
                     std::span<std::uint8_t> codes) {
  const std::size_t num_centroids = centroids.size() / points.dim;
  const NearestCentroid nearest(centroids, num_centroids);
  std::vector<double> sums(centroids.size());
  std::vector<std::size_t> counts(num_centroids);
  std::vector<double> distances(points.count);
  double loss = 0;
  for (std::size_t i = 0; i < points.count; ++i) {
    const float* point = points.at(i);
    const std::size_t c = codes[i] = nearest(point);
    distances[i] = squared_distance(point, &centroids[c * points.dim], points.dim);
    loss += distances[i];
    ++counts[c];
    for (std::size_t j = 0; j < points.dim; ++j) sums[c * points.dim + j] += point[j];
  }
  for (std::size_t c = 0; c < num_centroids; ++c) {
    float* centroid = &centroids[c * points.dim];
    if (counts[c] != 0) {
      for (std::size_t j = 0; j < points.dim; ++j)
        centroid[j] = static_cast<float>(sums[c * points.dim + j] / static_cast<double>(counts[c]));
    } else if (const auto worst = std::ranges::max_element(distances); worst != distances.end()) {
      std::copy_n(points.at(worst - distances.begin()), points.dim, centroid);
      *worst = 0;
    }
  }
  return loss;
}

void k_means(const Points& points, std::span<float> centroids, int max_rounds) {
  std::vector<std::uint8_t> codes(points.count);
  double before = std::numeric_limits<double>::max();
  for (int round = 0; round < max_rounds; ++round) {
    const double loss = k_means_round(points, centroids, codes);
    if (before - loss <= 1e-4 * loss) break;
    before = loss;
  }
}

}  // namespace embd::finalfusion
