#pragma once

#include <filesystem>
#include <vector>

#include "base/bytes.h"
#include "base/file_descriptor.h"
#include "embd/error.h"

namespace embd {

/// A file that appears only when it is whole: written under a temporary name beside its own and
/// renamed by finish(). Destroyed unfinished, it leaves nothing behind; what a process leaves that
/// was killed is removed when the same file is created again. What is no regular file, or
/// is one that the system opened for us (a device, a pipe, /dev/stdout wherever it leads), cannot
/// be renamed onto and is written directly; a symbolic link stays one, and what it leads to is
/// replaced. Buffered; not thread-safe.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::filesystem::path& path);
  /// Standard output, written directly from where it stands.
  static Result<OutputFile> standard_output();

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// Appends.
  Result<void> write(Bytes bytes);
  /// Appends `count` bytes of another file from `offset` on, without taking them through memory
  /// where the system can.
  Result<void> append_from(const FileDescriptor& source, std::uint64_t offset, std::uint64_t count);
  /// Overwrites bytes written before, for a header whose counts are known only at the end.
  Result<void> write_at(std::uint64_t offset, Bytes bytes);
  /// Bytes appended so far.
  std::uint64_t size() const noexcept { return size_; }
  /// Flushes, syncs to the disk and renames. Nothing may be written afterwards.
  Result<void> finish();

 private:
  OutputFile() = default;
  Result<void> flush();
  void start_writeback() noexcept;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: written directly
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  std::uint64_t sent_ = 0;  // of these, on their way to the disk
  std::vector<std::byte> buffer_;
};

/// The same for a directory: files are created inside path() and the whole appears by finish(),
/// which replaces a directory that was there before.
class OutputDirectory {
 public:
  /// A directory that is there already is replaced if it is empty or `is_replaceable` says so of
  /// it: what is inside may be somebody's only copy. Otherwise the error is io_failed.
  static Result<OutputDirectory> create(
      const std::filesystem::path& path,
      bool (*is_replaceable)(const std::filesystem::path& directory));

  OutputDirectory(OutputDirectory&& other) noexcept;
  OutputDirectory& operator=(OutputDirectory&& other) noexcept;
  ~OutputDirectory();

  /// Where to put the files until finish().
  const std::filesystem::path& path() const noexcept { return temporary_; }
  Result<void> finish();

 private:
  OutputDirectory() = default;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  FileDescriptor lock_;
};

}  // namespace embd
