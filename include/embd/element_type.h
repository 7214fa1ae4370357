#pragma once

#include <cstdint>
#include <string_view>

namespace embd {

/// Type of one stored value.
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

/// Bits of one stored value: 32 for f32, 1 for b1, 8 for the six-bit kinds, which take a byte each.
unsigned element_bits(ElementType type) noexcept;
/// "f32", "b1", …
std::string_view element_name(ElementType type) noexcept;

}  // namespace embd
