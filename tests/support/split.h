#pragma once

#include <string_view>
#include <vector>

namespace embd::testing {

/// Splits `text` at each `separator`. What follows the last separator is a part of its own, unless
/// it is empty.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

}  // namespace embd::testing
