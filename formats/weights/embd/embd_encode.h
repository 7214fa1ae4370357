#pragma once

#include <span>
#include <vector>

#include "embd/matrix.h"
#include "formats/weights/embd/embd_tensor.h"

namespace embd {

/// Encodes values as a tensor of `type` (f32, f16 or bf16) stores them, rounded to the nearest,
/// ties to even.
std::vector<std::byte> encode_floats(ElementType type, std::span<const float> values);

/// Multiplies each column by its factor.
void multiply_columns(Matrix& matrix, std::span<const float> factors);

/// The number of columns that share a scale in int8 if rows are rounded in blocks.
inline constexpr std::size_t int8_block = 64;

/// Returns the scale of each block of each row for int8, [rows, blocks]: the largest absolute value
/// divided by 127. It is 0 for a block of zeros. The last block of a row may be shorter than
/// `block`.
std::vector<float> int8_scales(MatrixView rows, std::size_t block = int8_block);
/// Quantizes rows to int8 with `scales` from int8_scales(), rounded to the nearest, ties to even:
/// [rows, cols].
std::vector<std::byte> encode_int8(MatrixView rows, std::span<const float> scales,
                                   std::size_t block = int8_block);

}  // namespace embd
