// Compiled for the processor it runs on.
#include "limits.h"

namespace embd::limits {
namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#else
constexpr int kLanes = 8;
#endif
using Vector = float __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));

volatile float sink;

template <int kChains>
float total(const Vector (&sums)[kChains]) {
  float sum = 0;
  for (const Vector& vector : sums) {
    for (int lane = 0; lane < kLanes; ++lane) sum += vector[lane];
  }
  return sum;
}

}  // namespace

double multiply_add() noexcept {
  constexpr int kChains = 12;
  constexpr int kSteps = 1 << 20;
  Vector sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = Vector{} + static_cast<float>(i);
  Vector factor = Vector{} + 0.999F;
  Vector term = Vector{} + 1e-7F;
  for (int step = 0; step < kSteps; ++step) {
    asm volatile("" : "+v"(factor), "+v"(term));
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = sums[i] * factor + term;
  }
  sink = total(sums);
  return static_cast<double>(kChains) * kSteps * kLanes;
}

double read(const float* values, std::size_t count) noexcept {
  constexpr int kChains = 4;
  Vector sums[kChains] = {};
  for (std::size_t i = 0; i + kChains * kLanes <= count; i += kChains * kLanes) {
#pragma GCC unroll 4
    for (int chain = 0; chain < kChains; ++chain) {
      sums[chain] += *reinterpret_cast<const Vector*>(values + i + chain * kLanes);
    }
  }
  sink = total(sums);
  return static_cast<double>(count) * sizeof(float);
}

}  // namespace embd::limits
