#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "embd/element_type.h"
#include "embd/error.h"

namespace embd {

/// Plain elements ↔ float32, for every type but b1 and the small floats, which only USearch has.
bool is_plain_element(ElementType type) noexcept;

/// `out.size()` elements of a plain type, little-endian, any alignment. 64-bit numbers are rounded.
void floats_from_elements(ElementType type, Bytes elements, std::span<float> out) noexcept;

/// Appends `values` as elements to `out`: rounded to a floating type; for an integer type every
/// value must be a whole number in its range. Errors: unsupported for a type that is not plain,
/// bad_value with the value.
Result<void> elements_from_floats(ElementType type, std::span<const float> values,
                                  std::vector<std::byte>& out);

}  // namespace embd
