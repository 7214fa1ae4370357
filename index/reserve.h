#pragma once

#include <algorithm>
#include <cstddef>

namespace embd {

/// Reserves memory in a vector that may grow often by small amounts: exactly at first, later at
/// least half more, so that all growing together takes linear time.
template <class Vector>
void reserve_more(Vector& vector, std::size_t size) {
  if (size > vector.capacity()) vector.reserve(std::max(size, vector.capacity() / 2 * 3));
}

}  // namespace embd
