#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace embd {

/// Returns the dot product of two vectors of the same length. It uses four independent sums, so
/// that no addition has to wait for the addition before it.
inline double dot(std::span<const double> a, std::span<const double> b) noexcept {
  std::array<double, 4> sums = {};
  std::size_t i = 0;
  for (; i + sums.size() <= a.size(); i += sums.size())
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace embd
