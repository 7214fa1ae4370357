#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "embd/element_type.h"
#include "embd/error.h"

namespace embd {

/// Returns true if elements_from_floats() and floats_from_elements() support the type: all types
/// but b1 and the small floating-point types, which only USearch has.
bool is_plain_element(ElementType type) noexcept;

/// Decodes `out.size()` elements of a plain type, which are little-endian and may have any
/// alignment, to float32. Integers that float32 cannot hold are rounded.
void floats_from_elements(ElementType type, Bytes elements, std::span<float> out) noexcept;

/// Appends `values` to `out` as elements of a plain type. Floating-point types are rounded to; for
/// an integer type, every value must be a whole number in its range. Fails with unsupported for a
/// type that is not plain, and with bad_value, naming the value.
Result<void> elements_from_floats(ElementType type, std::span<const float> values,
                                  std::vector<std::byte>& out);

}  // namespace embd
