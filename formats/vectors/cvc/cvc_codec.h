#pragma once

#include <span>

#include "base/bytes.h"
#include "formats/vectors/cvc/cvc_header.h"

/// The encodings of fixed size: fp16, int8, none.
namespace embd::cvc {

/// Decodes stored values to float32; `stored` holds out.size() of them. Not for lossless.
void decode_values(const Slice& slice, ElementType type, Bytes stored, std::span<float> out);

/// Halves of values of a column type; `values` holds out.size() / 2 of them.
void encode_fp16(ElementType type, Bytes values, std::span<std::byte> out);

struct Quantizer {
  float min = 0;
  float scale = 1;
};

/// The quantizer over the whole range of values of a column type, with the reference
/// implementation's numbers: NaN where a value is NaN, an infinite scale where the range is too
/// wide. Of equal zeros the first one's sign is the minimum's.
Quantizer quantizer_of(ElementType type, Bytes values);

/// int8 codes of values inside a quantizer's range; `values` holds codes.size() of them. As in the
/// reference implementation ties go to even, nothing is clamped, and every code is 0 where the
/// scale is not a positive finite number.
void quantize(const Quantizer& quantizer, ElementType type, Bytes values,
              std::span<std::byte> codes);

}  // namespace embd::cvc
