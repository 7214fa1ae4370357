#pragma once

#include <cstdint>
#include <vector>

namespace embd {

/// The tokens of several texts, one text after the other, without padding.
struct PackedTexts {
  std::vector<std::int32_t> ids;      // [tokens]
  std::vector<std::uint8_t> types;    // [tokens]
  std::vector<std::int64_t> lengths;  // tokens of each text

  std::int64_t tokens() const noexcept { return static_cast<std::int64_t>(ids.size()); }
  void clear() noexcept {
    ids.clear();
    types.clear();
    lengths.clear();
  }
};

}  // namespace embd
