#include "base/os/memory.h"

#include <cstdlib>

namespace embd::os {

void* allocate_aligned(std::size_t alignment, std::size_t size) noexcept {
  return std::aligned_alloc(alignment, size);
}

void prefer_huge_pages(void* /*memory*/, std::size_t /*size*/) noexcept {}

}  // namespace embd::os
