#include "base/os/process.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace embd::os {
namespace {

/// The largest size that may be allocated. The C library adds a header to a size without checking
/// that the sum fits into 32 bits, so a request for nearly 4 GiB would get a few bytes.
constexpr std::size_t max_size = PTRDIFF_MAX;

}  // namespace

void* allocate_aligned(std::size_t alignment, std::size_t size) noexcept {
  // There are no huge pages, so an alignment of more than a cache line would be waste.
  return size > max_size ? nullptr : std::aligned_alloc(std::min(alignment, std::size_t{64}), size);
}

void free_aligned(void* memory) noexcept {
  std::free(memory);
}

void prefer_huge_pages(void* /*memory*/, std::size_t /*size*/) noexcept {}

}  // namespace embd::os

// If the size of an array does not fit into 32 bits, the compiler asks for the largest size.
void* operator new(std::size_t size) {
  void* memory = size > embd::os::max_size ? nullptr : std::malloc(std::max(size, std::size_t{1}));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
