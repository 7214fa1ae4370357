#pragma once

#include <filesystem>
#include <vector>

#include "base/bytes.h"
#include "base/os/file_descriptor.h"
#include "embd/error.h"

namespace embd {

/// How a file is written: from its start to its end, or with bytes that are overwritten later.
enum class WriteOrder { in_order, any };

/// A file that appears only when it is whole: written under a temporary name beside its own and
/// renamed by finish(). It gets the owner and the permissions of the file it replaces. Destroyed
/// unfinished, it leaves nothing behind; what a process leaves that was killed is removed when the
/// same file is created again. A symbolic link stays one, and what it leads to is replaced.
///
/// A path that is no regular file, or one that the system opened for us (a device, a pipe,
/// /dev/stdout wherever it leads), cannot be replaced by a rename and is written where it is. If it
/// is written in any order, its bytes wait in an unnamed file for finish(). Buffered; not
/// thread-safe.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::filesystem::path& path,
                                   WriteOrder order = WriteOrder::in_order);
  /// Standard output, written from where it stands.
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
  /// The file was created with WriteOrder::any.
  Result<void> write_at(std::uint64_t offset, Bytes bytes);
  /// Bytes appended so far.
  std::uint64_t size() const noexcept { return size_; }
  /// Does everything that could keep finish() from renaming the file: flushes, syncs to the disk,
  /// asks whether what is there can be replaced. Nothing may be written afterwards. A file that is
  /// written where it is waits for finish().
  Result<void> prepare();
  /// Renames the file, after prepare(), which it calls itself.
  Result<void> finish();

 private:
  OutputFile() = default;
  Result<void> open_in_place(const std::filesystem::path& path, WriteOrder order);
  Result<void> flush();
  Result<void> send_waiting_bytes();
  void start_writeback() noexcept;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: written in place
  FileDescriptor file_;
  FileDescriptor place_;  // where the bytes go that wait in `file_`, an unnamed file
  std::uint64_t size_ = 0;
  std::uint64_t sent_ = 0;  // of these, on their way to the disk
  std::vector<std::byte> buffer_;
  bool prepared_ = false;
};

/// Says why a directory must not be replaced, if it must not: what is inside may be somebody's only
/// copy.
using CheckReplaceable = Result<void> (*)(const std::filesystem::path& directory);

/// A directory that appears as a whole: files are created inside path(), and it appears by
/// finish(), which replaces a directory that was there before.
class OutputDirectory {
 public:
  /// A directory that is there already is replaced if `check` finds nothing against it, now and
  /// again at finish().
  static Result<OutputDirectory> create(const std::filesystem::path& path, CheckReplaceable check);

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
  CheckReplaceable check_ = nullptr;
};

}  // namespace embd
