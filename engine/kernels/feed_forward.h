#pragma once

#include "engine/kernels/kernels.h"

namespace embd::kernels {

/// Floats of scratch that feed_forward() needs for `rows` rows.
std::size_t feed_forward_scratch(const Products& products, std::int64_t rows, std::int64_t hidden,
                                 std::int64_t intermediate) noexcept;

/// y[rows, hidden] = layer_norm(gelu(x · Upᵀ + bias) · Downᵀ + bias + x); y may be x. Takes
/// products.block_rows at a time, so that the wide middle never leaves the second cache.
void feed_forward(const Products& products, const float* x, std::int64_t rows, const Linear& up,
                  const Linear& down, const LayerNorm& norm, float* scratch, float* y) noexcept;

}  // namespace embd::kernels
