#include "base/spill_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/output_file.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

constexpr std::size_t buffer_bytes = 1 << 20;

bool is_device(const std::filesystem::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

SpillFile SpillFile::beside(const std::filesystem::path& output) {
  SpillFile file;
  std::error_code ignored;
  if (is_device(output)) {
    file.directory_ = std::filesystem::temp_directory_path(ignored);
  } else {
    // "out.svs/" is the directory "out.svs", which may not be there yet.
    const auto name = output.has_filename() ? output : output.parent_path();
    file.directory_ = name.has_parent_path() ? name.parent_path() : ".";
  }
  return file;
}

Result<void> SpillFile::create() {
  file_ = FileDescriptor(::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file_.is_open()) return {};
  // A file system without O_TMPFILE: a name that is removed at once.
  std::string name = (directory_ / ".embd-spill-XXXXXX").native();
  file_ = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!file_.is_open())
    return std::unexpected(system_error("create a temporary file in", directory_));
  ::unlink(name.c_str());
  return {};
}

Result<void> SpillFile::flush() {
  EMBD_TRY(file_.write(buffer_, directory_));
  buffer_.clear();
  return {};
}

Result<void> SpillFile::write(Bytes bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > buffer_bytes) {
    if (!file_.is_open()) EMBD_TRY(create());
    EMBD_TRY(flush());
    if (bytes.size() >= buffer_bytes) return file_.write(bytes, directory_);
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Result<void> SpillFile::read(std::uint64_t offset, std::span<std::byte> out) {
  if (!file_.is_open()) {
    std::ranges::copy(Bytes(buffer_).subspan(offset, out.size()), out.begin());
    return {};
  }
  EMBD_TRY(flush());
  return file_.read_at(offset, out, directory_);
}

Result<void> SpillFile::copy_to(OutputFile& out, std::uint64_t offset, std::uint64_t count) {
  if (!file_.is_open()) return out.write(Bytes(buffer_).subspan(offset, count));
  EMBD_TRY(flush());
  return out.append_from(file_, offset, count);
}

}  // namespace embd
