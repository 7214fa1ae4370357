#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/os/outcome.h"
#include "embd/error.h"

namespace embd {

/// How a file is opened. A program that this process starts inherits none.
enum class Opening {
  read,
  read_entry,         ///< what the name itself names, no symbolic link; no pipe is waited for
  read_folder,        ///< a directory, to lock or to sync it
  read_folder_entry,  ///< the same, no symbolic link
  identify,           ///< nothing but to keep its identity from being given to another file
  write,              ///< what is there; a terminal does not become the process's own
  create,             ///< for writing: a new file, which must not be there yet
  create_private,     ///< for writing: only this user's if it is new; no symbolic link
  update,             ///< for reading and writing, made if it is not there; no symbolic link
};

/// An open file, closed with this. Moved, not copied; a moved-from one is closed. Reads and writes
/// go on until all bytes are through, whatever interrupts them; errors name `path`.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes over `fd`; negative: none.
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  static Result<FileDescriptor> open(const std::filesystem::path& path,
                                     Opening how = Opening::read);
  /// The same, for callers that look at the system's reason.
  static os::Outcome<FileDescriptor> try_open(const std::filesystem::path& path,
                                              Opening how) noexcept;
  /// Another descriptor of the process's open file `number`, which stays open.
  static os::Outcome<FileDescriptor> duplicate(int number) noexcept;

  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { (void)close(); }

  int get() const noexcept { return fd_; }
  bool is_open() const noexcept { return fd_ >= 0; }
  /// Fails if bytes written before were lost.
  os::Outcome<void> close() noexcept;

  /// Appends where the file stands.
  Result<void> write(Bytes bytes, const std::filesystem::path& path) const;
  Result<void> write_at(std::uint64_t offset, Bytes bytes, const std::filesystem::path& path) const;
  /// Error for a file that ends before `out` is full: io_failed.
  Result<void> read_at(std::uint64_t offset, std::span<std::byte> out,
                       const std::filesystem::path& path) const;
  /// As many bytes as come at once, at most out.size(); 0 at the end.
  Result<std::size_t> read_some(std::span<std::byte> out, const std::filesystem::path& path) const;
  /// Waits until read_some() would not, at most `longest`; false if it still would. An end and an
  /// error are not waited for: reading tells them.
  bool await_input(std::chrono::milliseconds longest) const noexcept;

  /// Cuts the file off behind its first `size` bytes.
  os::Outcome<void> resize(std::uint64_t size) const noexcept;
  /// Returns when the bytes are on the disk.
  os::Outcome<void> sync() const noexcept;
  /// Sets the permissions (such as 0600) of the file or directory.
  os::Outcome<void> set_permissions(unsigned permissions) const noexcept;

  /// Locks the file or directory against everyone else who locks it, until it is closed. Waits.
  os::Outcome<void> lock() const noexcept;
  /// The same without waiting: operation_would_block if another has the lock.
  os::Outcome<void> try_lock() const noexcept;

 private:
  int fd_ = -1;
};

}  // namespace embd
