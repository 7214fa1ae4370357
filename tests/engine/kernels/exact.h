#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <random>
#include <span>
#include <vector>

#include "engine/kernels/kernels.h"

// Plain loops in double precision, with which tests compare kernels.

namespace embd::kernels {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); }
  bool operator==(const AlignedAllocator&) const = default;
};
using Aligned = std::vector<float, AlignedAllocator<float>>;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

inline Floats random_floats(std::int64_t n, unsigned seed, float scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, scale);
  Floats values(static_cast<std::size_t>(n));
  for (float& value : values) value = normal(random);
  return values;
}

struct Norm {
  explicit Norm(std::int64_t hidden)
      : gamma(random_floats(hidden, 71)),
        beta(random_floats(hidden, 72)),
        norm{gamma.data(), beta.data(), 1e-12F} {}
  Floats gamma;
  Floats beta;
  LayerNorm norm;
};

inline void exact_layer_norm(Doubles& x, std::int64_t rows, const Norm& norm) {
  const auto hidden = static_cast<std::int64_t>(norm.gamma.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::span row(x.data() + r * hidden, static_cast<std::size_t>(hidden));
    double mean = 0;
    for (const double v : row) mean += v / static_cast<double>(hidden);
    double variance = 0;
    for (const double v : row) variance += (v - mean) * (v - mean) / static_cast<double>(hidden);
    for (std::int64_t i = 0; i < hidden; ++i) {
      row[i] = (row[i] - mean) / std::sqrt(variance + 1e-12) * norm.gamma[i] + norm.beta[i];
    }
  }
}

inline Doubles widen(const Floats& values) {
  return {values.begin(), values.end()};
}

inline void expect_near(const Floats& got, const Doubles& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
        << "at " << i;
  }
}

}  // namespace embd::kernels
