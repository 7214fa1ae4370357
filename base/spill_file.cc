#include "base/spill_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/output_file.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

constexpr std::size_t buffer_bytes = 1 << 20;

bool is_device(const std::filesystem::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

SpillFile SpillFile::beside(const std::filesystem::path& output) {
  SpillFile file;
  std::error_code ignored;
  if (is_device(output)) {
    file.directory_ = std::filesystem::temp_directory_path(ignored);
  } else {
    file.directory_ = output.has_parent_path() ? output.parent_path() : ".";
  }
  return file;
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : directory_(std::move(other.directory_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      buffer_(std::move(other.buffer_)) {}

SpillFile& SpillFile::operator=(SpillFile&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

SpillFile::~SpillFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> SpillFile::create() {
  fd_ = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ >= 0) return {};
  // A file system without O_TMPFILE: a name that is removed at once.
  std::string name = (directory_ / ".embd-spill-XXXXXX").native();
  fd_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd_ < 0) return std::unexpected(system_error("create a temporary file in", directory_));
  ::unlink(name.c_str());
  return {};
}

Result<void> SpillFile::write_out(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return std::unexpected(system_error("write a temporary file in", directory_));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> SpillFile::flush() {
  EMBD_TRY(write_out(buffer_));
  buffer_.clear();
  return {};
}

Result<void> SpillFile::write(Bytes bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > buffer_bytes) {
    if (fd_ < 0) EMBD_TRY(create());
    EMBD_TRY(flush());
    if (bytes.size() >= buffer_bytes) return write_out(bytes);
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Result<void> SpillFile::read(std::uint64_t offset, std::span<std::byte> out) {
  if (fd_ < 0) {
    std::ranges::copy(Bytes(buffer_).subspan(offset, out.size()), out.begin());
    return {};
  }
  EMBD_TRY(flush());
  while (!out.empty()) {
    const ssize_t got = ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::unexpected(system_error("read a temporary file in", directory_));
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<void> SpillFile::copy_to(OutputFile& out, std::uint64_t offset, std::uint64_t count) {
  if (fd_ < 0) return out.write(Bytes(buffer_).subspan(offset, count));
  EMBD_TRY(flush());
  return out.append_from(fd_, offset, count);
}

}  // namespace embd
