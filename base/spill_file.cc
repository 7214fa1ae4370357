#include "base/spill_file.h"

#include <algorithm>

#include "base/directories.h"
#include "base/links.h"
#include "base/os/unnamed_file.h"
#include "base/output_file.h"
#include "base/path_names.h"
#include "base/try.h"

namespace embd {
namespace {

constexpr std::size_t spilled_at_once = 1 << 20;

}  // namespace

SpillFile SpillFile::beside(const std::filesystem::path& output) {
  SpillFile file;
  std::error_code ignored;
  if (is_written_in_place(output)) {
    file.directory_ = std::filesystem::temp_directory_path(ignored);
  } else {
    // A directory "out.svs/" may not be there yet.
    file.directory_ = directory_of(without_trailing_slash(output));
  }
  return file;
}

Result<void> SpillFile::create() {
  file_ = EMBD_TRY(create_unnamed_file(directory_));
  return {};
}

Result<void> SpillFile::flush() {
  EMBD_TRY(file_.write(buffer_, directory_));
  buffer_.clear();
  return {};
}

Result<void> SpillFile::write(Bytes bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > spilled_at_once) {
    if (!file_.is_open()) EMBD_TRY(create());
    EMBD_TRY(flush());
    if (bytes.size() >= spilled_at_once) return file_.write(bytes, directory_);
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
