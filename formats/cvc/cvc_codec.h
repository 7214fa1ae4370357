#pragma once

#include <span>

#include "base/bytes.h"
#include "formats/cvc/cvc_header.h"

/// The encodings of fixed size: fp16, int8, none.
namespace embd::cvc {

/// Decodes stored values to float32; `stored` holds out.size() of them. Not for lossless.
void decode_values(const Slice& slice, ElementType type, Bytes stored, std::span<float> out);

/// Halves of values of a column type; `values` holds out.size() of them.
void encode_fp16(ElementType type, Bytes values, std::span<std::uint16_t> out);

struct Quantiser {
  float min = 0;
  float scale = 1;
};

/// int8 codes of values of a column type, over their whole range; `values` holds codes.size() of
/// them. The numbers and codes are the reference implementation's: no clamp, ties to even, and code
/// 0 everywhere where the range is not a positive finite number of steps. Of equal zeros the first
/// one's sign is the minimum's.
Quantiser quantise(ElementType type, Bytes values, std::span<std::byte> codes);

}  // namespace embd::cvc
