#include "base/half.h"

#include <cmath>

#include "base/os/cpu.h"

namespace embd {

std::uint16_t half_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return sign | 0x7e00U;
  if (magnitude >= 0x477ff000U) return sign | 0x7c00U;  // 65520 and more round to infinity
  if (magnitude < 0x38800000U) {
    // Below 2^-14 a half is subnormal: adding 0.5 makes the float unit do the rounding at 2^-24.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1U;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xfffU + odd) >> 13));
}

float float_from_half(std::uint16_t half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t magnitude = half & 0x7fffU;
  if (magnitude >= 0x7c00U)
    return std::bit_cast<float>(sign | 0x7f800000U | ((magnitude & 0x3ffU) << 13));
  if (magnitude < 0x400U) {
    return std::bit_cast<float>(
        sign | std::bit_cast<std::uint32_t>(std::ldexp(static_cast<float>(magnitude), -24)));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
}

void halves_from_floats(std::span<const float> from, std::span<std::uint16_t> to) noexcept {
  std::size_t i = 0;
#if defined(__x86_64__)
  if (cpu_features().avx2) {
    f16c::halves_from_floats(from.data(), to.data(), from.size());
    i = from.size() / 8 * 8;
  }
#endif
  for (; i < from.size(); ++i) to[i] = half_from_float(from[i]);
}

void floats_from_halves(std::span<const std::uint16_t> from, std::span<float> to) noexcept {
  std::size_t i = 0;
#if defined(__x86_64__)
  if (cpu_features().avx2) {
    f16c::floats_from_halves(from.data(), to.data(), from.size());
    i = from.size() / 8 * 8;
  }
#endif
  for (; i < from.size(); ++i) to[i] = float_from_half(from[i]);
}

}  // namespace embd
