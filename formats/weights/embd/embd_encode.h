#pragma once

#include <span>
#include <vector>

#include "formats/weights/embd/embd_tensor.h"

namespace embd {

/// Values as a tensor of `type` (f32, f16 or bf16) holds them, rounded to nearest even.
std::vector<std::byte> encode_floats(ElementType type, std::span<const float> values);

/// The scale of each row for int8: the largest magnitude over 127, [rows]. 0 for a row of zeros.
std::vector<float> int8_scales(MatrixView rows);
/// Rows as int8 with those scales, rounded to nearest even, [rows, cols].
std::vector<std::byte> encode_int8(MatrixView rows, std::span<const float> scales);

}  // namespace embd
