#pragma once

#include <cstdint>
#include <string_view>

namespace embd::finalfusion {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Hash128&) const = default;
};

/// MurmurHash3 x64 128 of `text`, both halves started from `seed` (Austin Appleby's public-domain
/// function). floret's hash, and that of the tables of words.
Hash128 murmur3(std::string_view text, std::uint64_t seed) noexcept;

}  // namespace embd::finalfusion
