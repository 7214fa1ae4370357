#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/double_array.h"

namespace embd::testing {

/// Builds the bytes of a character map: a trie, then strings that each end with a byte 0.
inline std::string character_map_bytes(std::span<const std::uint32_t> units,
                                       std::string_view strings) {
  const auto size = static_cast<std::uint32_t>(units.size_bytes());
  std::string bytes(sizeof(size) + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof(size));
  if (size != 0) std::memcpy(bytes.data() + sizeof(size), units.data(), size);
  return bytes.append(strings);
}

/// Builds a map from keys to their replacements.
inline std::string character_map_bytes(
    const std::vector<std::pair<std::string_view, std::string_view>>& entries) {
  std::string strings;
  // The number of a key is the position at which its string begins.
  std::vector<std::string_view> keys;
  for (const auto& [key, becomes] : entries) {
    keys.resize(strings.size());
    keys.push_back(key);
    strings.append(becomes) += '\0';
  }
  return character_map_bytes(build_double_array(keys).value(), strings);
}

}  // namespace embd::testing
