#include "base/file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

/// Calls `operation`, which gives a number of bytes or -1 and errno, until no signal interrupts it.
template <class Operation>
Result<std::size_t> uninterrupted(Operation operation, std::string_view name,
                                  const std::filesystem::path& path) {
  while (true) {
    const ssize_t count = operation();
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return std::unexpected(system_error(name, path));
  }
}

}  // namespace

Result<FileDescriptor> FileDescriptor::open(const std::filesystem::path& path, int flags,
                                            unsigned mode) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0) return std::unexpected(system_error("open", path));
  return FileDescriptor(fd);
}

bool FileDescriptor::close() noexcept {
  return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0;
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
      return fail_in(path, ErrorCode::io_failed, "became shorter while it was read");
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

}  // namespace embd
