#pragma once

#include <cstdint>
#include <string_view>

namespace embd::finalfusion {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Hash128&) const = default;
};

/// Returns the MurmurHash3 x64 128 of `text`, a public-domain function of Austin Appleby. Both
/// halves start from `seed`. The format floret uses this hash; so do the tables of words.
Hash128 murmur3(std::string_view text, std::uint64_t seed) noexcept;

}  // namespace embd::finalfusion
