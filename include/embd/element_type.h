#pragma once

#include <cstdint>
#include <string_view>

namespace embd {

/// The type of one stored value. The letters of a name say what the value is: a floating-point
/// number (f), brain float (bf), signed integer (i), unsigned integer (u) or bit (b). The number
/// after them is its size in bits. A small floating-point type such as e5m2 is named after the bits
/// of its exponent (e) and of its mantissa (m).
enum class ElementType : std::uint8_t {
  f32,
  f64,
  f16,
  bf16,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  b1,
  e5m2,
  e4m3,
  e3m2,
  e2m3
};

/// Returns the number of bits that one stored value takes: 32 for f32, 1 for b1. The six-bit types
/// e3m2 and e2m3 take 8 bits, because each value is stored in a byte of its own.
unsigned element_bits(ElementType type) noexcept;
/// Returns the name of a type, such as "f32" or "b1".
std::string_view element_name(ElementType type) noexcept;

}  // namespace embd
