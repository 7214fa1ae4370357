#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace embd {

/// Allocates memory on a 64-byte boundary, for data that vector instructions access and for rows
/// that are read at random. From 2 MiB on it asks the system for huge pages. Throws std::bad_alloc.
/// The caller frees it with free_aligned().
void* allocate_aligned(std::size_t size);
/// Frees memory from allocate_aligned(); null is ignored.
void free_aligned(void* memory) noexcept;

/// A buffer of uninitialized memory from allocate_aligned(). It can be moved, but not copied.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  /// Allocates `size` bytes. Throws std::bad_alloc.
  explicit AlignedBuffer(std::size_t size);

  std::size_t size() const noexcept { return size_; }
  std::byte* data() const noexcept { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

/// An allocator for containers whose elements are kept in memory from allocate_aligned().
template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(allocate_aligned(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t) noexcept { free_aligned(memory); }
  bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace embd
