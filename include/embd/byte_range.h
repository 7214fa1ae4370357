#pragma once

#include <cstddef>

namespace embd {

/// Bytes [begin, end) of a text.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const ByteRange&) const = default;
};

}  // namespace embd
