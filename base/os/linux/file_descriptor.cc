#include "base/os/file_descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include "base/os/linux/last_error.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

struct OpenArguments {
  int flags;
  mode_t mode = 0;
};

OpenArguments arguments_of(Opening how) noexcept {
  switch (how) {
    case Opening::read:
      return {O_RDONLY};
    case Opening::read_entry:
      return {O_RDONLY | O_NOFOLLOW | O_NONBLOCK};
    case Opening::read_folder:
      return {O_RDONLY | O_DIRECTORY};
    case Opening::read_folder_entry:
      return {O_RDONLY | O_DIRECTORY | O_NOFOLLOW};
    case Opening::identify:
      return {O_PATH};
    case Opening::write:
      return {O_WRONLY | O_NOCTTY};
    case Opening::create:
      return {O_WRONLY | O_CREAT | O_EXCL, 0666};
    case Opening::create_private:
      return {O_WRONLY | O_CREAT | O_NOFOLLOW, 0600};
    case Opening::update:
      return {O_RDWR | O_CREAT | O_NOFOLLOW, 0666};
  }
  return {O_RDONLY};
}

/// Calls `operation`, which returns a number of bytes, or -1 with the reason in errno, until no
/// signal interrupts it.
template <class Operation>
Result<std::size_t> uninterrupted(Operation operation, std::string_view name,
                                  const std::filesystem::path& path) {
  while (true) {
    const ssize_t count = operation();
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return std::unexpected(system_error(name, path, os::last_error()));
  }
}

}  // namespace

os::Outcome<FileDescriptor> FileDescriptor::try_open(const std::filesystem::path& path,
                                                     Opening how) noexcept {
  const auto [flags, mode] = arguments_of(how);
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0) return std::unexpected(os::last_error());
  return FileDescriptor(fd);
}

os::Outcome<FileDescriptor> FileDescriptor::duplicate(int number) noexcept {
  const int fd = ::fcntl(number, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return std::unexpected(os::last_error());
  return FileDescriptor(fd);
}

os::Outcome<void> FileDescriptor::close() noexcept {
  if (fd_ < 0) return {};
  return os::outcome_of(::close(std::exchange(fd_, -1)));
}

Result<void> FileDescriptor::write(Bytes bytes, const std::filesystem::path& path) const {
  while (!bytes.empty()) {
    const std::size_t count = EMBD_TRY(
        uninterrupted([&] { return ::write(fd_, bytes.data(), bytes.size()); }, "write", path));
    bytes = bytes.subspan(count);
  }
  return {};
}

Result<void> FileDescriptor::write_at(std::uint64_t offset, Bytes bytes,
                                      const std::filesystem::path& path) const {
  while (!bytes.empty()) {
    const std::size_t count = EMBD_TRY(uninterrupted(
        [&] { return ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); },
        "write", path));
    offset += count;
    bytes = bytes.subspan(count);
  }
  return {};
}

Result<void> FileDescriptor::read_at(std::uint64_t offset, std::span<std::byte> out,
                                     const std::filesystem::path& path) const {
  while (!out.empty()) {
    const std::size_t count = EMBD_TRY(uninterrupted(
        [&] { return ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset)); }, "read",
        path));
    if (count == 0) {
      return fail_in(
          path, ErrorCode::io_failed,
          "the file became shorter while it was read: try again when no other program changes it");
    }
    offset += count;
    out = out.subspan(count);
  }
  return {};
}

Result<std::size_t> FileDescriptor::read_some(std::span<std::byte> out,
                                              const std::filesystem::path& path) const {
  return uninterrupted([&] { return ::read(fd_, out.data(), out.size()); }, "read", path);
}

bool FileDescriptor::await_input(std::chrono::milliseconds longest) const noexcept {
  pollfd waiting = {.fd = fd_, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&waiting, 1, static_cast<int>(longest.count()));
  return ready > 0 || (ready < 0 && errno != EINTR);
}

os::Outcome<void> FileDescriptor::resize(std::uint64_t size) const noexcept {
  return os::outcome_of(::ftruncate(fd_, static_cast<off_t>(size)));
}

os::Outcome<void> FileDescriptor::sync() const noexcept {
  return os::outcome_of(::fsync(fd_));
}

os::Outcome<void> FileDescriptor::set_permissions(unsigned permissions) const noexcept {
  return os::outcome_of(::fchmod(fd_, permissions));
}

os::Outcome<void> FileDescriptor::lock() const noexcept {
  while (::flock(fd_, LOCK_EX) != 0)
    if (errno != EINTR) return std::unexpected(os::last_error());
  return {};
}

os::Outcome<void> FileDescriptor::try_lock() const noexcept {
  return os::outcome_of(::flock(fd_, LOCK_EX | LOCK_NB));
}

}  // namespace embd

namespace embd::os {

Outcome<FileDescriptor> standard_input() noexcept {
  return FileDescriptor::duplicate(STDIN_FILENO);
}

Outcome<FileDescriptor> standard_output() noexcept {
  return FileDescriptor::duplicate(STDOUT_FILENO);
}

bool is_output_terminal() noexcept {
  return ::isatty(STDOUT_FILENO) == 1;
}

bool is_error_terminal() noexcept {
  return ::isatty(STDERR_FILENO) == 1;
}

void print_error(std::string_view text) noexcept {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void occupy_closed_standard_streams() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest number that is free is this one.
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

std::uint64_t copy_some(const FileDescriptor& source, std::uint64_t offset, std::uint64_t count,
                        const FileDescriptor& target) noexcept {
  auto from = static_cast<off_t>(offset);
  const ssize_t copied = ::copy_file_range(source.get(), &from, target.get(), nullptr, count, 0);
  return copied > 0 ? static_cast<std::uint64_t>(copied) : 0;
}

void start_writeback(const FileDescriptor& file, std::uint64_t offset,
                     std::uint64_t count) noexcept {
  ::sync_file_range(file.get(), static_cast<off_t>(offset), static_cast<off_t>(count),
                    SYNC_FILE_RANGE_WRITE);
}

}  // namespace embd::os

namespace embd {

Result<FileDescriptor> create_unnamed_file(const std::filesystem::path& directory) {
  FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  // A file system without O_TMPFILE: a name that nobody can guess, removed at once.
  std::string name = (directory / ".embd-XXXXXX").native();
  file = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open())
    return std::unexpected(system_error("create a temporary file in", directory, os::last_error()));
  ::unlink(name.c_str());
  return file;
}

os::Outcome<FileDescriptor> create_file_in_memory(const char* name) noexcept {
  FileDescriptor file(::memfd_create(name, MFD_CLOEXEC));
  if (!file.is_open()) return std::unexpected(os::last_error());
  return file;
}

}  // namespace embd
