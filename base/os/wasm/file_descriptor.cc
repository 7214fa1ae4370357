#include "base/os/file_descriptor.h"

#include <algorithm>

#include "base/os/wasm/memory_files.h"
#include "base/os/wasm/no_system.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {

os::Outcome<FileDescriptor> FileDescriptor::try_open(const std::filesystem::path& path,
                                                     Opening how) noexcept {
  if (how != Opening::read && how != Opening::read_entry && how != Opening::identify)
    return os::no_system();
  auto file = os::find_memory_file(path.native());
  if (file == nullptr) return std::unexpected(std::errc::no_such_file_or_directory);
  return FileDescriptor(os::open_memory_file(std::move(file)));
}

Result<FileDescriptor> FileDescriptor::open(const std::filesystem::path& path, Opening how) {
  return result_of("open", path, try_open(path, how));
}

os::Outcome<FileDescriptor> FileDescriptor::duplicate(int /*number*/) noexcept {
  return os::no_system();
}

os::Outcome<void> FileDescriptor::close() noexcept {
  os::close_memory_file(std::exchange(fd_, -1));
  return {};
}

Result<void> FileDescriptor::write(Bytes /*bytes*/, const std::filesystem::path& path) const {
  return result_of("write", path, os::Outcome<void>(os::no_system()));
}

Result<void> FileDescriptor::write_at(std::uint64_t /*offset*/, Bytes bytes,
                                      const std::filesystem::path& path) const {
  return write(bytes, path);
}

Result<void> FileDescriptor::read_at(std::uint64_t offset, std::span<std::byte> out,
                                     const std::filesystem::path& path) const {
  const auto file = os::opened_memory_file(fd_);
  if (file == nullptr || offset > file->bytes().size() ||
      out.size() > file->bytes().size() - offset)
    return fail_in(path, ErrorCode::io_failed,
                   "the file ends before the last byte that was to be read");
  std::ranges::copy(file->bytes().subspan(static_cast<std::size_t>(offset), out.size()),
                    out.begin());
  return {};
}

Result<std::size_t> FileDescriptor::read_some(std::span<std::byte> /*out*/,
                                              const std::filesystem::path& path) const {
  return result_of("read", path, os::Outcome<std::size_t>(os::no_system()));
}

os::Outcome<void> FileDescriptor::resize(std::uint64_t /*size*/) const noexcept {
  return os::no_system();
}
os::Outcome<void> FileDescriptor::sync() const noexcept {
  return os::no_system();
}
os::Outcome<void> FileDescriptor::set_permissions(unsigned /*permissions*/) const noexcept {
  return os::no_system();
}
os::Outcome<void> FileDescriptor::lock() const noexcept {
  return os::no_system();
}
os::Outcome<void> FileDescriptor::try_lock() const noexcept {
  return os::no_system();
}

}  // namespace embd
