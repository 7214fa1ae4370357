#pragma once

#include <fmt/format.h>

#include <optional>

#include "server/failure.h"

namespace embd::server {

/// Returns the value that two makers' clients send under different names. Error: invalid where both
/// names are there and say different things.
template <class Value>
Answerable<std::optional<Value>> either(const std::optional<Value>& first, const char* first_name,
                                        const std::optional<Value>& second,
                                        const char* second_name) {
  if (first && second && *first != *second) {
    return refuse(Problem::invalid,
                  fmt::format("\"{}\" and \"{}\" say different things", first_name, second_name),
                  second_name);
  }
  return first ? first : second;
}

}  // namespace embd::server
