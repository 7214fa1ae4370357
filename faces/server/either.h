#pragma once

#include <fmt/format.h>

#include <optional>

#include "faces/server/failure.h"

namespace embd::server {

/// Returns the value of a field that has two names, because clients of different APIs name it
/// differently. Refuses the request with invalid if both names are present with different values.
template <class Value>
Answerable<std::optional<Value>> either(const std::optional<Value>& first, const char* first_name,
                                        const std::optional<Value>& second,
                                        const char* second_name) {
  if (first && second && *first != *second) {
    return refuse(Problem::invalid,
                  fmt::format("\"{}\" and \"{}\" are two names of one field, but have different "
                              "values: give only one",
                              first_name, second_name),
                  second_name);
  }
  return first ? first : second;
}

}  // namespace embd::server
