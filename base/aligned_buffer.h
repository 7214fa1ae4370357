#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace embd {

/// Uninitialised memory on a 64-byte boundary, for what vector instructions read and write. From 2
/// MiB on it asks the system for huge pages.
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

}  // namespace embd
