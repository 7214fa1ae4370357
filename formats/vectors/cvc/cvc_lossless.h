#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

/// The lossless payload: float32 values split into four byte planes (plane 0 holds every value's
/// least significant byte), each stored as a dictionary and fixed-width indices into it.
///
///   u32 count of values
///   u8 bits[4]: width of an index in each plane, 1 to 8
///   per plane: u16 size, that many byte values (the dictionary), ceil(count × bits / 8) bytes of
///              indices, most significant bit first, zero padded
namespace embd::cvc {

struct LosslessPlane {
  unsigned bits = 1;
  Bytes dictionary;
  Bytes codes;
};
using LosslessPlanes = std::array<LosslessPlane, 4>;

/// Splits a payload of `count` values, whose extents must fill it exactly. `offset`: where the
/// payload begins in its file. Views live as long as `payload`.
Result<LosslessPlanes> split_lossless(Bytes payload, std::uint64_t count, std::uint64_t offset);

/// The most bytes that a payload takes beyond four bytes a value.
inline constexpr std::uint64_t max_lossless_overhead = 4 + 4 + 4 * (2 + 256);

/// The payload of float32 values, as the reference implementation packs them.
std::vector<std::byte> encode_lossless(Bytes values);

/// Values [first, first + out.size()). Error: bad_value for an index outside its dictionary.
Result<void> decode_lossless(const LosslessPlanes& planes, std::uint64_t first,
                             std::span<float> out);

}  // namespace embd::cvc
