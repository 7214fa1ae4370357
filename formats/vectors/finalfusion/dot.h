#pragma once

#include <cstddef>

namespace embd::finalfusion {

/// Returns Σ a[i] · b[i]. It keeps eight partial sums, so that compilers can use vector
/// instructions without changing the result.
inline float dot(const float* a, const float* b, std::size_t size) noexcept {
  float sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (std::size_t lane = 0; i < size; ++i, ++lane) sums[lane] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace embd::finalfusion
