#pragma once

#include <cstddef>

namespace embd::os {

/// Memory of `size` bytes, a multiple of `alignment`, which is a power of two; freed with
/// std::free(). Null if there is none.
void* allocate_aligned(std::size_t alignment, std::size_t size) noexcept;

/// Asks the system to back this memory with huge pages. A hint; may be refused.
void prefer_huge_pages(void* memory, std::size_t size) noexcept;

}  // namespace embd::os
