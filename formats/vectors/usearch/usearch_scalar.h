#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "embd/vectors.h"

// How USearch stores a row: its element types, and its rules for rounding to them.

namespace embd::usearch {

/// Returns true if a dense index can hold rows of the type: b1, bf16, e5m2, e4m3, e2m3, e3m2, f64,
/// f32, f16, u8, i8.
bool is_scalar(ElementType type) noexcept;

/// Returns the number of bytes of a row of `dim` values, `dim` < 2^56. b1 packs eight values into a
/// byte; the other types need one or more bytes per value.
std::uint64_t row_bytes(ElementType type, std::uint64_t dim) noexcept;

/// Encodes `row` in `type` to `out`, which has row_bytes(type, row.size()) bytes. i8 and u8 keep
/// the direction only: rows are scaled to length 127 or 255 and cut toward zero. b1 keeps whether a
/// value is positive. e4m3, e3m2 and e2m3 saturate; f16, bf16 and e5m2 overflow to infinity.
void encode_row(ElementType type, std::span<const float> row, std::byte* out) noexcept;

/// Decodes a stored row. i8 and u8 are divided by 127 and 255; bits become 0 and 1.
void decode_row(ElementType type, const std::byte* row, std::span<float> out) noexcept;

/// Returns the values of the 256 codes of e5m2, e4m3, e3m2 or e2m3.
const float* small_float_values(ElementType type) noexcept;

}  // namespace embd::usearch
