#pragma once

#include <array>
#include <cstdint>

namespace embd {

/// Ids of the five tokens with a meaning of their own; all of them in the vocabulary.
struct SpecialTokenIds {
  std::int32_t pad = 0;
  std::int32_t unk = 100;
  std::int32_t cls = 101;
  std::int32_t sep = 102;
  std::int32_t mask = 103;

  /// In the order in which files have them.
  std::array<std::int32_t, 5> ids() const noexcept { return {pad, unk, cls, sep, mask}; }
  bool operator==(const SpecialTokenIds&) const = default;
};

}  // namespace embd
