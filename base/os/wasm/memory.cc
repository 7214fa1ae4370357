#include "base/os/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace embd::os {
namespace {

/// The C library adds a header to a size without looking whether the sum fits into 32 bits: a
/// request for nearly 4 GiB gets a few bytes. Nothing may be larger than this.
constexpr std::size_t max_size = PTRDIFF_MAX;

}  // namespace

void* allocate_aligned(std::size_t alignment, std::size_t size) noexcept {
  // There are no huge pages to lie on: more than a cache line would be waste.
  return size > max_size ? nullptr : std::aligned_alloc(std::min(alignment, std::size_t{64}), size);
}

void prefer_huge_pages(void* /*memory*/, std::size_t /*size*/) noexcept {}

}  // namespace embd::os

// The compiler asks for the largest size where the size of an array does not fit into 32 bits.
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
