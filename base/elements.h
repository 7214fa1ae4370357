#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "embd/element_type.h"
#include "embd/error.h"

namespace embd {

/// Calls `use.operator()<Integer>()` with the C++ type of an integer type and returns true; returns
/// false for all other types.
template <class Use>
bool with_integer_type(ElementType type, const Use& use) {
  switch (type) {
    case ElementType::i8:
      return use.template operator()<std::int8_t>(), true;
    case ElementType::u8:
      return use.template operator()<std::uint8_t>(), true;
    case ElementType::i16:
      return use.template operator()<std::int16_t>(), true;
    case ElementType::u16:
      return use.template operator()<std::uint16_t>(), true;
    case ElementType::i32:
      return use.template operator()<std::int32_t>(), true;
    case ElementType::u32:
      return use.template operator()<std::uint32_t>(), true;
    case ElementType::i64:
      return use.template operator()<std::int64_t>(), true;
    case ElementType::u64:
      return use.template operator()<std::uint64_t>(), true;
    default:
      return false;
  }
}

/// Returns the smallest absolute value that rounds to infinity in a floating-point type; infinity
/// for types in which none does.
float first_infinite(ElementType type) noexcept;

/// Decodes `out.size()` elements, which are little-endian and may have any alignment, to float32.
/// Integers that float32 cannot hold are rounded. The type must be plain: all types are but b1 and
/// the small floating-point types, which only USearch has.
void floats_from_elements(ElementType type, Bytes elements, std::span<float> out) noexcept;

/// Appends `values` to `out` as elements of a plain type. Floating-point types are rounded to; for
/// an integer type, every value must be a whole number in its range. Fails with unsupported for a
/// type that is not plain, and with bad_value, naming the value.
Result<void> elements_from_floats(ElementType type, std::span<const float> values,
                                  std::vector<std::byte>& out);

}  // namespace embd
