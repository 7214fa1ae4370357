#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/kernels.h"

namespace embd {

/// The cosines and sines by which a model rotates queries and keys for their places. Component j of
/// the first half of a head and component j of its second half are the two coordinates of a point,
/// which is rotated by place · theta^(−2j / D), where D is the number of components of a head. The
/// frequencies and the angles are rounded to float32, as in transformers; docs/arithmetic.md has
/// the rounding. Immutable.
class Rotation {
 public:
  Rotation() = default;
  /// Makes the numbers for places from 0 to `places` − 1. `head_dim` must be even, and theta and
  /// the factor (Architecture::ntk_factor) at least 1. Throws std::bad_alloc.
  Rotation(std::uint32_t places, std::uint32_t head_dim, double theta, double ntk_factor = 1);

  /// Rotates `heads` in the rows of one text, qkv [seq_len, qkv_width]: those of queries, and
  /// behind them those of keys.
  void apply(float* qkv, const kernels::AttentionShape& shape, kernels::Range heads) const noexcept;

 private:
  std::int64_t half_ = 0;
  std::vector<float> cosines_;  // [places, half]
  std::vector<float> sines_;    // [places, half]
};

}  // namespace embd
