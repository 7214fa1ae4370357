#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "engine/kernels/kernels.h"
#include "tests/engine/kernels/exact.h"

namespace embd::kernels {

/// Random numbers for each distance in texts of up to `longest` tokens. Behind those of a head
/// follow NaN, which must not become part of a score.
class RandomBias {
 public:
  RandomBias(std::int64_t heads, std::int64_t longest)
      : reach_(longest), stride_(2 * longest + 16) {
    std::mt19937 random(77);
    for (std::int64_t i = 0; i < heads * stride_; ++i) {
      const float value = static_cast<float>(random() % 1000) / 100.0F - 5;
      values_.push_back(i % stride_ <= 2 * reach_ ? value : std::nanf(""));
    }
  }
  DistanceBias view() const { return {values_.data(), stride_, reach_}; }

 private:
  std::int64_t reach_;
  std::int64_t stride_;
  Floats values_;
};

}  // namespace embd::kernels
