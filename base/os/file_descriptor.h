#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/os/outcome.h"
#include "base/system_error.h"
#include "embd/error.h"

namespace embd {

/// The way in which a file is opened. Programs that this process starts do not inherit it.
enum class Opening {
  read,
  /// The entry itself: a symbolic link is not followed, and a pipe is not waited for.
  read_entry,
  read_folder,        ///< a directory, in order to lock or sync it
  read_folder_entry,  ///< a directory, but not through a symbolic link
  /// Only to keep the identity of the file from being given to another file.
  identify,
  /// An existing file, for writing. A terminal does not become the controlling terminal.
  write,
  create,  ///< for writing: a new file, which must not exist yet
  /// For writing. A new file is accessible to this user only; a symbolic link is not followed.
  create_private,
  /// For reading and writing. The file is created if it does not exist; a symbolic link is not
  /// followed.
  update,
};

/// An open file, which is closed when this object is destroyed. It can be moved, but not copied;
/// after a move, it is closed. Reads and writes continue after interruptions until all bytes are
/// done. Errors name `path`.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes ownership of the descriptor `fd`. A negative number stands for no file.
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  static Result<FileDescriptor> open(const std::filesystem::path& path,
                                     Opening how = Opening::read) {
    return result_of("open", path, try_open(path, how));
  }
  /// Opens a file, for callers that need the system's reason if that fails.
  static os::Outcome<FileDescriptor> try_open(const std::filesystem::path& path,
                                              Opening how) noexcept;
  /// Makes another descriptor of the process's open file `number`, which stays open.
  static os::Outcome<FileDescriptor> duplicate(int number) noexcept;

  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { (void)close(); }

  int get() const noexcept { return fd_; }
  bool is_open() const noexcept { return fd_ >= 0; }
  /// Closes the file. Fails if bytes that were written before have been lost.
  os::Outcome<void> close() noexcept;

  /// Writes bytes at the current position.
  Result<void> write(Bytes bytes, const std::filesystem::path& path) const;
  Result<void> write_at(std::uint64_t offset, Bytes bytes, const std::filesystem::path& path) const;
  /// Reads out.size() bytes from `offset` on. Fails with io_failed if the file ends before that.
  Result<void> read_at(std::uint64_t offset, std::span<std::byte> out,
                       const std::filesystem::path& path) const;
  /// Reads the bytes that are available, at most out.size(), and returns their number; 0 at the
  /// end.
  Result<std::size_t> read_some(std::span<std::byte> out, const std::filesystem::path& path) const;
  /// Waits, at most for `longest`, until read_some() would return at once. Returns false if it
  /// would still wait. At an end or an error it returns true, because reading will report that.
  bool await_input(std::chrono::milliseconds longest) const noexcept;

  /// Cuts the file to its first `size` bytes.
  os::Outcome<void> resize(std::uint64_t size) const noexcept;
  /// Waits until the bytes are on the disk.
  os::Outcome<void> sync() const noexcept;
  /// Sets the permissions of the file or directory, such as 0600.
  os::Outcome<void> set_permissions(unsigned permissions) const noexcept;

  /// Locks the file or directory against others who lock it, until it is closed. Waits until it is
  /// free.
  os::Outcome<void> lock() const noexcept;
  /// Locks the file or directory without waiting. Fails with operation_would_block if somebody else
  /// has locked it.
  os::Outcome<void> try_lock() const noexcept;

 private:
  int fd_ = -1;
};

}  // namespace embd

// Standard input, standard output and standard error.
namespace embd::os {

/// Returns standard input, read from its current position.
Outcome<FileDescriptor> standard_input() noexcept;
/// Returns standard output, written from its current position.
Outcome<FileDescriptor> standard_output() noexcept;

bool is_output_terminal() noexcept;
bool is_error_terminal() noexcept;

/// Writes to standard error. May be called in a signal handler.
void print_error(std::string_view text) noexcept;

/// Opens /dev/null for each standard stream that the process was started without, in the direction
/// that makes using it fail. Otherwise a file that the program opens could be mistaken for a
/// standard stream.
void occupy_closed_standard_streams() noexcept;

/// Appends up to `count` bytes of `source`, from `offset` on, to `target`, without passing them
/// through the memory of this process. Returns the number of bytes copied. 0 means that the system
/// cannot copy between these files, or that `source` has ended.
std::uint64_t copy_some(const FileDescriptor& source, std::uint64_t offset, std::uint64_t count,
                        const FileDescriptor& target) noexcept;

/// Asks the system to begin writing `count` bytes of `file`, from `offset` on, to the disk. It is
/// only a hint.
void start_writeback(const FileDescriptor& file, std::uint64_t offset,
                     std::uint64_t count) noexcept;

}  // namespace embd::os

namespace embd {

/// Creates a file without a name on the disk of `directory`, open for reading and writing. It
/// disappears when it is closed, and nobody else can open it.
Result<FileDescriptor> create_unnamed_file(const std::filesystem::path& directory);

/// Creates a file in memory, open for reading and writing. It disappears when it is closed. `name`
/// appears in listings of the process's files.
os::Outcome<FileDescriptor> create_file_in_memory(const char* name) noexcept;

}  // namespace embd
