#pragma once

#include <string_view>
#include <vector>

namespace embd::testing {

/// The parts of `text` that `separator` ends; a last one without it counts if it is not empty.
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
