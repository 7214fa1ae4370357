#pragma once

#include <algorithm>
#include <cstddef>

namespace embd {

/// reserve() of a vector that may grow again and again, a little each time: exactly at first, then
/// by half at least, so that all the growing takes linear time.
template <class Vector>
void reserve_more(Vector& vector, std::size_t size) {
  if (size > vector.capacity()) vector.reserve(std::max(size, vector.capacity() / 2 * 3));
}

}  // namespace embd
