#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/os/file_descriptor.h"
#include "base/temporary_files.h"
#include "embd/error.h"

namespace embd {

/// The order in which a file is written: from its start to its end, or with bytes that are
/// overwritten later.
enum class WriteOrder { in_order, any };

/// A file that appears only when it is complete: it is written under a temporary name in the same
/// directory, and finish() renames it. It gets the owner and the permissions of the file that it
/// replaces. If it is destroyed before finish(), it leaves nothing behind. What a killed process
/// leaves is removed when the same file is created again. A symbolic link stays; the file that it
/// leads to is replaced.
///
/// A device, a pipe, or a file that the system opened for this process (such as /dev/stdout) cannot
/// be replaced by a rename and is written in place. If it is to be written in any order, its bytes
/// wait in an unnamed file until finish(). Writing is buffered. Not thread-safe.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::filesystem::path& path,
                                   WriteOrder order = WriteOrder::in_order);
  /// Returns standard output as a file, written from its current position.
  static Result<OutputFile> standard_output();

  /// Appends bytes.
  Result<void> write(Bytes bytes);
  /// Appends `count` bytes of another file from `offset` on. If the system supports it, they are
  /// copied without passing through the memory of the process.
  Result<void> append_from(const FileDescriptor& source, std::uint64_t offset, std::uint64_t count);
  /// Overwrites bytes that were written before, for instance a header whose counts are known only
  /// at the end. The file must have been created with WriteOrder::any.
  Result<void> write_at(std::uint64_t offset, Bytes bytes);
  /// Returns the number of bytes appended so far.
  std::uint64_t size() const noexcept { return size_; }
  /// Does everything that could make finish() fail: flushes and syncs the file, and checks that an
  /// existing file can be replaced. Nothing may be written afterwards. Does nothing for a file that
  /// is written in place.
  Result<void> prepare();
  /// Renames the file to its name. Calls prepare() first if that was not done.
  Result<void> finish();

 private:
  OutputFile() = default;
  Result<void> open_in_place(const std::filesystem::path& path, WriteOrder order);
  Result<void> flush();
  Result<void> send_waiting_bytes();
  void start_writeback() noexcept;

  std::filesystem::path path_;
  FileDescriptor file_;
  TemporaryPath temporary_;  // removed while `file_` has the lock; empty: written in place
  FileDescriptor place_;     // where the bytes go that wait in `file_`, an unnamed file
  std::uint64_t size_ = 0;
  std::uint64_t sent_ = 0;  // of these, on their way to the disk
  std::vector<std::byte> buffer_;
  bool prepared_ = false;
};

/// Writes a whole file, which appears when it is complete. Fails as the functions of OutputFile do.
Result<void> write_text_file(const std::filesystem::path& path, std::string_view text);

/// A function that fails if a directory must not be replaced, because its content may be somebody's
/// only copy.
using CheckReplaceable = Result<void> (*)(const std::filesystem::path& directory);

/// A directory that appears only when it is complete: files are created in path(), and finish()
/// renames that directory to its name, replacing an older directory.
class OutputDirectory {
 public:
  /// Creates a directory. If the target exists, it is replaced, provided that `check` succeeds for
  /// it now and again in finish().
  static Result<OutputDirectory> create(const std::filesystem::path& path, CheckReplaceable check);

  /// Returns the directory in which files are created until finish().
  const std::filesystem::path& path() const noexcept { return temporary_.path(); }
  Result<void> finish();

 private:
  OutputDirectory() = default;

  std::filesystem::path target_;
  TemporaryFolder temporary_;
  CheckReplaceable check_ = nullptr;
};

}  // namespace embd
