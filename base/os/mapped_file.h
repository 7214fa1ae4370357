#pragma once

#include <filesystem>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd {

class FileDescriptor;

/// A whole file mapped read-only. The file must not be truncated while it is mapped (the system
/// answers an access past the new end with SIGBUS); replacing it by rename is safe. Movable; views
/// into it stay valid across a move.
class MappedFile {
 public:
  /// Errors: not_found, io_failed (a directory or a pipe cannot be mapped). An empty file maps to
  /// no bytes.
  static Result<MappedFile> open(const std::filesystem::path& path);
  /// An open file, which may be closed afterwards; errors name `path`.
  static Result<MappedFile> of(const FileDescriptor& opened, const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  Bytes bytes() const noexcept { return {data_, size_}; }
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Lets go of the memory behind `part` of a mapped file's bytes(), pages that lie in it as a
  /// whole. They stay readable and come back, from the system's cache, when they are read again.
  static void release(Bytes part) noexcept;

 private:
  MappedFile() = default;

  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace embd
