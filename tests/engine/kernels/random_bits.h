#pragma once

#include <bit>
#include <cstdint>
#include <iterator>

// Random elements of bfloat16 and sums of every kind, for tests that compare an instruction with
// its definition.

namespace embd::kernels {

/// xorshift: the same numbers on every machine, and quick.
class Random {
 public:
  std::uint64_t operator()() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  std::uint64_t state_ = 88172645463325252U;
};

inline constexpr std::uint16_t kEdges[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x0080,
                                           0x8080, 0x0081, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80,
                                           0x7FC0, 0x3F80, 0xBF80, 0x2000, 0x1F80, 0x9FFF};

/// Returns an element of kind 0 to 3: any bits; any finite size; products near 2^-126; an edge.
inline std::uint16_t element(Random& random, int kind) {
  const std::uint64_t bits = random();
  const auto with_exponent = [bits](std::uint64_t exponent) {
    return static_cast<std::uint16_t>((bits & 0x807FU) | exponent << 7U);
  };
  switch (kind) {
    case 0:
      return static_cast<std::uint16_t>(bits);
    case 1:
      return with_exponent(64 + (bits >> 20U) % 128);
    case 2:
      return with_exponent(58 + (bits >> 20U) % 12);
    default:
      return kEdges[(bits >> 20U) % std::size(kEdges)];
  }
}

/// Returns a sum so far of kind 0 to 3: any bits; any finite size; near 2^-126; an edge, with a few
/// last bits.
inline float sum_so_far(Random& random, int kind) {
  const std::uint64_t bits = random();
  const auto with_exponent = [bits](std::uint64_t exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>((bits & 0x807FFFFFU) | exponent << 23U));
  };
  switch (kind) {
    case 0:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case 1:
      return with_exponent(64 + (bits >> 33U) % 128);
    case 2:
      return with_exponent((bits >> 33U) % 4);
    default:
      return std::bit_cast<float>(std::uint32_t{kEdges[(bits >> 33U) % std::size(kEdges)]} << 16U |
                                  static_cast<std::uint32_t>((bits >> 60U) % 3));
  }
}

}  // namespace embd::kernels
