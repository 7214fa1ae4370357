#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "embd/matrix.h"

namespace embd {

/// Returns rows in clusters around `num_centers` random directions. Row i is direction i %
/// num_centers plus noise of length `spread`.
inline Matrix blob_rows(std::size_t num_rows, std::size_t dim, std::size_t num_centers,
                        double spread, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> centers(num_centers * dim);
  for (double& value : centers) value = normal(random);
  Matrix rows(num_rows, dim);
  for (std::size_t row = 0; row < num_rows; ++row)
    for (std::size_t i = 0; i < dim; ++i)
      rows.row(row)[i] =
          static_cast<float>(centers[row % num_centers * dim + i] + spread * normal(random));
  return rows;
}

inline double cosine_distance(std::span<const float> a, std::span<const float> b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return 1 - ab / std::sqrt(aa * bb);
}

}  // namespace embd
