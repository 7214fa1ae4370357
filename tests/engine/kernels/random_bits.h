#pragma once

#include <bit>
#include <cstdint>
#include <iterator>

// Random elements of bfloat16 and sums of every kind, for tests that compare an instruction with
// its definition.

namespace embd::kernels {

/// A fast random number generator (xorshift) with the same numbers on every machine.
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

/// Returns a random element. Its kind is 0 for any bits, 1 for a finite value of moderate size, 2
/// for values whose products are near 2^-126, and 3 for an edge case.
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

/// Returns a random partial sum. Its kind is 0 for any bits, 1 for a finite value of moderate size,
/// 2 for values near 2^-126, and 3 for an edge case plus up to 2 in the last bits.
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
