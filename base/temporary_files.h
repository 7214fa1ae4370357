#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/os/file_descriptor.h"
#include "embd/error.h"

namespace embd {

/// A new temporary file named `PATH.embd-N.tmp`, which is to become PATH. It is locked (flock)
/// while `descriptor` is open. If the process is killed, the lock vanishes and the file stays; the
/// next process that creates a temporary file or folder for the same PATH removes it.
struct TemporaryEntry {
  std::filesystem::path path;
  FileDescriptor descriptor;  ///< open for writing
};

/// Creates a temporary file. Errors name `path`, because that is the name that the user knows.
Result<TemporaryEntry> create_temporary_file(const std::filesystem::path& path);

/// The path of a temporary file, which is removed when this object is destroyed. The file must be
/// locked until then. It can be moved, but not copied; after a move, it is empty.
class TemporaryPath {
 public:
  TemporaryPath() = default;
  explicit TemporaryPath(std::filesystem::path path) noexcept : path_(std::move(path)) {}
  TemporaryPath(TemporaryPath&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryPath& operator=(TemporaryPath&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TemporaryPath();

  bool empty() const noexcept { return path_.empty(); }
  const std::filesystem::path& get() const noexcept { return path_; }
  /// Forgets the path, because the entry has its final name now.
  void release() noexcept { path_.clear(); }

 private:
  std::filesystem::path path_;
};

/// A temporary folder, which is named and locked as a temporary file is. It is removed with
/// everything in it when this object is destroyed. It can be moved, but not copied; after a move,
/// it is empty.
class TemporaryFolder {
 public:
  /// Creates a folder with the permissions `mode`, reduced by the umask of the process. Errors name
  /// `path`.
  static Result<TemporaryFolder> create(const std::filesystem::path& path, unsigned mode = 0777);
  TemporaryFolder() = default;
  TemporaryFolder(TemporaryFolder&& other) noexcept { *this = std::move(other); }
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(lock_, other.lock_);
    return *this;
  }
  ~TemporaryFolder();

  bool empty() const noexcept { return path_.empty(); }
  const std::filesystem::path& path() const noexcept { return path_; }
  const FileDescriptor& descriptor() const noexcept { return lock_; }
  /// Forgets the path, because the folder has its final name now. Returns the lock.
  FileDescriptor release() noexcept {
    path_.clear();
    return std::move(lock_);
  }

 private:
  std::filesystem::path path_;
  FileDescriptor lock_;
};

/// Returns true if `path`, without following a link, still names the open file.
bool names(const std::filesystem::path& path, const FileDescriptor& descriptor);

/// Opens the file or folder that `path` leads to, and locks it. Fails with io_failed and the text
/// `taken` if another process has the lock. Before the lock was there, another process may have
/// removed the file or put it elsewhere; then it is opened again.
Result<FileDescriptor> open_locked(const std::filesystem::path& path, Opening how,
                                   const char* taken);

class OutputFile;

/// Collects bytes that must wait until the bytes before them in a file are known. They are kept in
/// memory while they are few, then in an unnamed file, which disappears with this object. Not
/// thread-safe.
class SpillFile {
 public:
  /// `output` is the file or directory that the bytes are for. They wait on the same disk, or in
  /// the system's temporary directory if the output is a device or a pipe.
  static SpillFile beside(const std::filesystem::path& output);

  /// Appends bytes.
  Result<void> write(Bytes bytes);
  std::uint64_t size() const noexcept { return size_; }
  /// Reads bytes [offset, offset + out.size()) of the bytes written.
  Result<void> read(std::uint64_t offset, std::span<std::byte> out);
  /// Appends bytes [offset, offset + count) of the bytes written to the file `out`.
  Result<void> copy_to(OutputFile& out, std::uint64_t offset, std::uint64_t count);

 private:
  SpillFile() = default;
  Result<void> create();
  Result<void> flush();

  std::filesystem::path directory_;
  FileDescriptor file_;  // not open: all bytes are in the buffer
  std::uint64_t size_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace embd
