#pragma once

#include <fmt/core.h>

#include <string_view>

#include "embd/element_type.h"
#include "native/error.h"

namespace embd::python {

/// By element_name(); raises invalid_argument for any other word.
inline ElementType element_type_from_name(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ElementType::e2m3); ++i) {
    const auto type = static_cast<ElementType>(i);
    if (element_name(type) == name) return type;
  }
  raise_invalid(fmt::format("no type of values is called \"{}\"", name));
}

}  // namespace embd::python
