#pragma once

#include <cstddef>

namespace embd::os {

/// Allocates `size` bytes, which must be a multiple of `alignment`, a power of two. Returns null if
/// there is no memory. Freed with std::free().
void* allocate_aligned(std::size_t alignment, std::size_t size) noexcept;

/// Asks the system to use huge pages for this memory. It is a hint, which the system may ignore.
void prefer_huge_pages(void* memory, std::size_t size) noexcept;

}  // namespace embd::os
