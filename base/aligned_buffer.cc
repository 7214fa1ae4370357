#include "base/aligned_buffer.h"

#include "base/os/process.h"

namespace embd {
namespace {

constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

}  // namespace

void* allocate_aligned(std::size_t size) {
  const std::size_t alignment = size < huge_page_bytes ? cache_line_bytes : huge_page_bytes;
  if (size > SIZE_MAX - alignment) throw std::bad_alloc();
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = os::allocate_aligned(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  if (alignment == huge_page_bytes) os::prefer_huge_pages(memory, rounded);
  return memory;
}

void free_aligned(void* memory) noexcept {
  os::free_aligned(memory);
}

AlignedBuffer::AlignedBuffer(std::size_t size) : size_(size) {
  if (size > 0) data_.reset(static_cast<std::byte*>(allocate_aligned(size)));
}

void AlignedBuffer::Free::operator()(std::byte* data) const noexcept {
  free_aligned(data);
}

}  // namespace embd
