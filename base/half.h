#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace embd {

/// Convert between IEEE 754 binary16 and float32. They round to nearest even, keep subnormal
/// numbers, and turn numbers that are too large into infinity. A NaN becomes 0x7e00 with its sign.
/// The functions for arrays, whose `from` and `to` must have the same length, use the processor's
/// own instructions if it has some; the bits are the same.
std::uint16_t half_from_float(float value) noexcept;
float float_from_half(std::uint16_t half) noexcept;
void halves_from_floats(std::span<const float> from, std::span<std::uint16_t> to) noexcept;
void floats_from_halves(std::span<const std::uint16_t> from, std::span<float> to) noexcept;

/// Convert between bfloat16 and float32, rounding to nearest even. A NaN stays a NaN, with its sign
/// and upper bits.
constexpr std::uint16_t bfloat16_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}
constexpr float float_from_bfloat16(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace embd

namespace embd::f16c {

/// Convert arrays as the functions above do, with the processor's own instructions. They only
/// convert the largest multiple of 8 in `count`; the caller converts the rest. They need
/// CpuFeatures::avx2.
void halves_from_floats(const float* from, std::uint16_t* to, std::size_t count) noexcept;
void floats_from_halves(const std::uint16_t* from, float* to, std::size_t count) noexcept;

}  // namespace embd::f16c
