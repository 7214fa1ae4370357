#pragma once

#include <span>

namespace embd {

/// Computes y = (x − mean) ÷ √(variance + epsilon) · gamma + beta for a single row, with sums in
/// double precision and in the order of the components. All spans have the same size. `y` may be
/// `x`.
void layer_norm(std::span<const float> x, std::span<const float> gamma, std::span<const float> beta,
                double epsilon, std::span<float> y) noexcept;

}  // namespace embd
