#pragma once

#include <span>

#include "base/bytes.h"
#include "formats/cvc/cvc_header.h"

/// The encodings of fixed size: fp16, int8, none.
namespace embd::cvc {

/// Decodes stored values to float32; `stored` holds out.size() of them. Not for lossless.
void decode_values(const Slice& slice, ElementType type, Bytes stored, std::span<float> out);

}  // namespace embd::cvc
