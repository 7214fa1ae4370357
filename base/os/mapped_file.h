#pragma once

#include <cstddef>
#include <filesystem>
#include <utility>

#include "base/bytes.h"
#include "base/os/outcome.h"
#include "embd/error.h"

namespace embd {

class FileDescriptor;

/// A whole file that is mapped into memory for reading. The file must not become shorter while it
/// is mapped, because accessing the missing part raises SIGBUS; replacing it by a rename is safe.
/// It can be moved; views of its bytes stay valid then.
class MappedFile {
 public:
  /// Maps a file. An empty file has no bytes. Fails with not_found, and with io_failed, for
  /// instance for a directory or a pipe.
  static Result<MappedFile> open(const std::filesystem::path& path);
  /// Maps an open file, which may be closed afterwards. Errors name `path`.
  static Result<MappedFile> of(const FileDescriptor& opened, const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept
      : path_(std::move(other.path_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~MappedFile();

  Bytes bytes() const noexcept { return {data_, size_}; }
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Releases the memory of whole pages within `part`, which must be bytes of a mapped file. They
  /// can still be read; the system loads them again, usually from its cache.
  static void release(Bytes part) noexcept;

 private:
  MappedFile() = default;

  /// Maps the `size` bytes of an open file, at least one.
  static os::Outcome<const std::byte*> map(const FileDescriptor& opened, std::size_t size);
  /// Returns the whole pages within `part`; no bytes if there are none.
  static Bytes whole_pages(Bytes part, std::size_t page_size) noexcept;

  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace embd
