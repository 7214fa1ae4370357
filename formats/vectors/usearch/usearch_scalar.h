#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "embd/vectors.h"

// How USearch stores one row: the element types it knows, and its rules for rounding to them.

namespace embd::usearch {

/// True for the types a dense index can hold: b1, bf16, e5m2, e4m3, e2m3, e3m2, f64, f32, f16, u8,
/// i8.
bool is_scalar(ElementType type) noexcept;

/// Bytes of a row of `dim` values: b1 packs eight to a byte, the others lie byte by byte.
/// `dim` < 2^56.
std::uint64_t row_bytes(ElementType type, std::uint64_t dim) noexcept;

/// `row` in `type` at `out`, which holds row_bytes(type, row.size()) bytes. i8 and u8 keep the
/// direction only (scaled to length 127 or 255 and cut toward zero); b1 keeps what is positive;
/// e4m3, e3m2 and e2m3 saturate, f16, bf16 and e5m2 overflow to infinity.
void encode_row(ElementType type, std::span<const float> row, std::byte* out) noexcept;

/// The values of a stored row; i8 and u8 come back divided by 127 and 255, bits as 0 and 1.
void decode_row(ElementType type, const std::byte* row, std::span<float> out) noexcept;

/// The value of each of the 256 codes of e5m2, e4m3, e3m2 or e2m3.
const float* small_float_values(ElementType type) noexcept;

}  // namespace embd::usearch
