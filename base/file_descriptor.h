#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd {

/// An open file, closed with this. Moved, not copied; a moved-from one is closed. Reads and writes
/// go on until all bytes are through, whatever interrupts them; errors name `path`.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes over `fd`; negative: none.
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  /// open(2), not inherited by programs that are started.
  static Result<FileDescriptor> open(const std::filesystem::path& path, int flags,
                                     unsigned mode = 0);

  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const noexcept { return fd_; }
  bool is_open() const noexcept { return fd_ >= 0; }
  /// False with errno if bytes written before were lost.
  bool close() noexcept;

  /// Appends where the file stands.
  Result<void> write(Bytes bytes, const std::filesystem::path& path) const;
  Result<void> write_at(std::uint64_t offset, Bytes bytes, const std::filesystem::path& path) const;
  /// Error for a file that ends before `out` is full: io_failed.
  Result<void> read_at(std::uint64_t offset, std::span<std::byte> out,
                       const std::filesystem::path& path) const;
  /// As many bytes as come at once, at most out.size(); 0 at the end.
  Result<std::size_t> read_some(std::span<std::byte> out, const std::filesystem::path& path) const;

 private:
  int fd_ = -1;
};

}  // namespace embd
