#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

/// The lossless payload. Float32 values are split into four byte planes; plane 0 holds the least
/// significant byte of every value. Each plane is stored as a dictionary and indices of fixed width
/// into it.
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

/// Splits a payload of `count` values into its planes, which must fill it exactly. `offset` is
/// where the payload begins in its file, for messages. The returned planes refer to `payload`.
Result<LosslessPlanes> split_lossless(Bytes payload, std::uint64_t count, std::uint64_t offset);

/// The greatest number of bytes that a payload needs besides four bytes per value.
inline constexpr std::uint64_t max_lossless_overhead = 4 + 4 + 4 * (2 + 256);

/// Encodes float32 values as the reference implementation does.
std::vector<std::byte> encode_lossless(Bytes values);

/// Decodes the values [first, first + out.size()). Fails with bad_value if an index is outside its
/// dictionary.
Result<void> decode_lossless(const LosslessPlanes& planes, std::uint64_t first,
                             std::span<float> out);

}  // namespace embd::cvc
