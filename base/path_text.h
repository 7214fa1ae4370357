#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

// Paths as text. A path holds what the system takes: bytes on Linux, UTF-16 on Windows, where
// std::filesystem::path takes a text for the characters of a code page. So only these functions
// convert between the two.
namespace embd {

/// Returns a path as UTF-8. On Linux, these are the path's bytes, whatever they are.
inline std::string text_of_path(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

/// Returns a path as text_of_path() does, but with / between folders on every system: for names in
/// files that other systems read, and for orders.
inline std::string generic_text_of_path(const std::filesystem::path& path) {
  std::string text = text_of_path(path);
  if constexpr (std::filesystem::path::preferred_separator != '/')
    std::ranges::replace(text, '\\', '/');
  return text;
}

/// Returns the path that a text in UTF-8 names. On Linux, any bytes name a path.
inline std::filesystem::path path_of_text(std::string_view text) {
  return std::u8string(text.begin(), text.end());
}

}  // namespace embd
