#pragma once

#include <cstdint>

namespace embd {

/// A token that a text may contain literally, besides the five special tokens.
struct AddedToken {
  std::int32_t id = 0;
  /// True if it is looked for in the normalized text, so that <UNK> is found as <unk>.
  bool normalized = false;

  bool operator==(const AddedToken&) const = default;
};

}  // namespace embd
