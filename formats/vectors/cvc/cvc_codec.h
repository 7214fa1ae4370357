#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/vectors/cvc/cvc_header.h"

namespace embd::cvc {

/// The lossless payload. Float32 values are split into four byte planes; plane 0 holds the least
/// significant byte of every value. Each plane is stored as a dictionary and indices of fixed width
/// into it.
///
///   u32 count of values
///   u8 bits[4]: width of an index in each plane, 1 to 8
///   per plane: u16 size, that many byte values (the dictionary), ceil(count × bits / 8) bytes of
///              indices, most significant bit first, zero padded

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

/// Encodes and decodes values in the encodings of fixed size: fp16, int8 and none.

/// Decodes stored values to float32. `stored` has out.size() values of the column type `type`, in
/// the encoding of `slice`. The encoding must not be lossless.
void decode_values(const Slice& slice, ElementType type, Bytes stored, std::span<float> out);

/// Converts values of a column type to float16. `values` has out.size() / 2 values.
void encode_fp16(ElementType type, Bytes values, std::span<std::byte> out);

struct Quantizer {
  float min = 0;
  float scale = 1;
};

/// Returns the quantizer for the whole range of values of a column type, with the same numbers as
/// the reference implementation. Its numbers are NaN if a value is NaN; the scale is infinite if
/// the range is too wide. If the minimum is zero, it has the sign of the first zero.
Quantizer quantizer_of(ElementType type, Bytes values);

/// Quantizes values, which are inside the range of the quantizer, to codes of one byte. `values`
/// has codes.size() values. As in the reference implementation, ties are rounded to even, nothing
/// is clamped, and every code is 0 if the scale is not positive and finite.
void quantize(const Quantizer& quantizer, ElementType type, Bytes values,
              std::span<std::byte> codes);

}  // namespace embd::cvc
