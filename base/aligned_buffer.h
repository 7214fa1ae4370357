#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace embd {

/// Memory on a 64-byte boundary, for what vector instructions read and write and for rows that are
/// read at random; from 2 MiB on it asks the system for huge pages. Throws std::bad_alloc. Give it
/// back with std::free.
void* allocate_aligned(std::size_t size);

/// Such memory, uninitialized.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  /// Throws std::bad_alloc.
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

/// For containers that keep their elements in such memory.
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
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }
  bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace embd
