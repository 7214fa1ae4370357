#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace embd::js {

/// Returns views of `count` texts, which are one after the other in memory, given their sizes.
inline std::vector<std::string_view> texts_of(const char* bytes, const std::uint32_t* sizes,
                                              std::uint32_t count) {
  std::vector<std::string_view> texts;
  texts.reserve(count);
  for (std::uint32_t i = 0; i < count; bytes += sizes[i], ++i) texts.emplace_back(bytes, sizes[i]);
  return texts;
}

}  // namespace embd::js
