#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace embd {

/// IEEE 754 binary16 ↔ float32, round to nearest even, subnormals kept, overflow to infinity; a NaN
/// becomes 0x7e00 with its sign. Bulk forms use the processor's own conversion where it has one and
/// give the same bits. `from` and `to` have equal length.
std::uint16_t half_from_float(float value) noexcept;
float float_from_half(std::uint16_t half) noexcept;
void halves_from_floats(std::span<const float> from, std::span<std::uint16_t> to) noexcept;
void floats_from_halves(std::span<const std::uint16_t> from, std::span<float> to) noexcept;

/// bfloat16 ↔ float32, round to nearest even; a NaN keeps its sign and upper bits and stays a NaN.
constexpr std::uint16_t bfloat16_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}
constexpr float float_from_bfloat16(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace embd
