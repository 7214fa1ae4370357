#pragma once

#include <cmath>
#include <span>

namespace embd::finalfusion {

/// Scales `values` to length 1 and returns the length before. Zeros stay zeros.
inline float normalize(std::span<float> values) noexcept {
  double squares = 0;
  for (const float value : values) squares += double{value} * value;
  const double length = std::sqrt(squares);
  if (length > 0)
    for (float& value : values) value = static_cast<float>(value / length);
  return static_cast<float>(length);
}

}  // namespace embd::finalfusion
