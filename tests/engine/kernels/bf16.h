#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

// The arithmetic of bf16 as docs/arithmetic.md defines it, one operation at a time.

namespace embd::kernels {

inline float without_denormal(float x) {
  return std::abs(x) < 0x1p-126F ? std::copysign(0.0F, x) : x;
}

inline float bf16_of_bits(std::uint16_t bits) {
  return without_denormal(std::bit_cast<float>(std::uint32_t{bits} << 16U));
}

/// Rounds to the nearest bfloat16, ties to even. Values below 2^-126 become zero.
inline float round_to_bf16(float x) {
  if (std::isnan(x)) return x;
  const auto bits = std::bit_cast<std::uint32_t>(without_denormal(x));
  return std::bit_cast<float>((bits + 0x7FFFU + (bits >> 16U & 1U)) & 0xFFFF0000U);
}

/// Returns a · b + c. If exponents had no lower end and the result rounded to less than 2^-126,
/// returns zero with its sign. The same sum, 2^64 times as large, shows this.
inline float fused_without_denormals(float a, float b, float c) {
  const float sum = std::fma(a, b, c);
  const float large = std::fma(a * 0x1p64F, b, c * 0x1p64F);
  return std::abs(large) < 0x1p-62F ? std::copysign(0.0F, sum) : sum;
}

/// Returns Σ x[k] · w[k] over 32 elements that are rounded to bfloat16.
inline float bf16_sum_of_block(const float* x, const float* w) {
  float chain[2] = {0, 0};
  for (int k = 0; k < 32; ++k) chain[k % 2] = fused_without_denormals(x[k], w[k], chain[k % 2]);
  return without_denormal(chain[0] + chain[1]);
}

/// Returns Σ x[k] · w[k] over n elements that are rounded to bfloat16.
inline float bf16_sum(const float* x, const float* w, std::int64_t n) {
  float sum = 0;
  for (std::int64_t begin = 0; begin < n; begin += 32) {
    const std::int64_t length = std::min<std::int64_t>(32, n - begin);
    float block[2][32] = {};
    std::copy_n(x + begin, length, block[0]);
    std::copy_n(w + begin, length, block[1]);
    sum = without_denormal(sum + bf16_sum_of_block(block[0], block[1]));
  }
  return sum;
}

}  // namespace embd::kernels
