#pragma once

#include <span>
#include <vector>

#include "formats/weights/embd/embd_tensor.h"

namespace embd {

/// Encodes values as a tensor of `type` (f32, f16 or bf16) stores them, rounded to the nearest,
/// ties to even.
std::vector<std::byte> encode_floats(ElementType type, std::span<const float> values);

/// Returns the scale of each row for int8, [rows]: the largest absolute value divided by 127. It is
/// 0 for a row of zeros.
std::vector<float> int8_scales(MatrixView rows);
/// Quantizes rows to int8 with `scales` from int8_scales(), rounded to the nearest, ties to even:
/// [rows, cols].
std::vector<std::byte> encode_int8(MatrixView rows, std::span<const float> scales);

}  // namespace embd
