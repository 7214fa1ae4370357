#pragma once

#include <span>

#include "base/bytes.h"
#include "formats/vectors/cvc/cvc_header.h"

/// Encodes and decodes values in the encodings of fixed size: fp16, int8 and none.
namespace embd::cvc {

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
