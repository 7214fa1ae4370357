#include "base/os/memory.h"

#include <algorithm>
#include <cstdlib>

namespace embd::os {

void* allocate_aligned(std::size_t alignment, std::size_t size) noexcept {
  // There are no huge pages to lie on: more than a cache line would be waste.
  return std::aligned_alloc(std::min(alignment, std::size_t{64}), size);
}

void prefer_huge_pages(void* /*memory*/, std::size_t /*size*/) noexcept {}

}  // namespace embd::os
