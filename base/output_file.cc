#include "base/output_file.h"

#include <algorithm>
#include <utility>

#include "base/os/entries.h"
#include "base/os/file_status.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

constexpr std::size_t buffer_bytes = 1 << 18;
/// The number of bytes that are sent on to the disk at a time while the next bytes are made. So
/// little is left to wait for when the file is synced.
constexpr std::uint64_t writeback_bytes = 8 << 20;

Result<void> check_directory(const std::filesystem::path& path, CheckReplaceable check) {
  if (!os::is_folder(path)) return {};
  return check(path);
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& path, WriteOrder order) {
  OutputFile file;
  file.path_ = follow_links(path);
  const auto replaced = os::status_of(path);
  if (replaced && replaced->kind == FileKind::folder)
    return fail_in(path, ErrorCode::io_failed, "the path names a directory, expected a file");
  if (is_written_in_place(path)) {
    EMBD_TRY(file.open_in_place(path, order));
  } else {
    TemporaryEntry entry = EMBD_TRY(create_temporary_file(file.path_));
    file.temporary_ = TemporaryPath(std::move(entry.path));
    file.file_ = std::move(entry.descriptor);
    if (replaced) take_attributes(file.file_, *replaced);
  }
  file.buffer_.reserve(buffer_bytes);
  return file;
}

Result<void> OutputFile::open_in_place(const std::filesystem::path& path, WriteOrder order) {
  // A file that is open already is written from where it stands, as standard output is.
  const auto number = open_file_number(path);
  auto place =
      number ? FileDescriptor::duplicate(*number) : FileDescriptor::try_open(path, Opening::write);
  file_ = EMBD_TRY(result_of("create", path, std::move(place)));
  if (order == WriteOrder::in_order) return {};
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  place_ = std::exchange(file_, EMBD_TRY(create_unnamed_file(error ? "/tmp" : folder)));
  return {};
}

Result<OutputFile> OutputFile::standard_output() {
  OutputFile file;
  file.path_ = "standard output";
  file.file_ = EMBD_TRY(result_of("open", file.path_, os::standard_output()));
  file.buffer_.reserve(buffer_bytes);
  return file;
}

Result<void> OutputFile::write(Bytes bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes) {
    EMBD_TRY(flush());
    while (bytes.size() >= buffer_bytes) {
      const Bytes some = bytes.first(std::min<std::size_t>(bytes.size(), writeback_bytes));
      EMBD_TRY(file_.write(some, path_));
      size_ += some.size();
      start_writeback();
      bytes = bytes.subspan(some.size());
    }
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  size_ += bytes.size();
  return {};
}

/// Sends the bytes of the file that are not in the buffer any more on to the disk.
void OutputFile::start_writeback() noexcept {
  const std::uint64_t written = size_ - buffer_.size();
  if (temporary_.empty() || written - sent_ < writeback_bytes) return;
  // Only a hint: finish() syncs, and says what went wrong.
  os::start_writeback(file_, sent_, written - sent_);
  sent_ = written;
}

Result<void> OutputFile::append_from(const FileDescriptor& source, std::uint64_t offset,
                                     std::uint64_t count) {
  EMBD_TRY(flush());
  while (count > 0) {
    const std::uint64_t copied =
        os::copy_some(source, offset, std::min(count, writeback_bytes), file_);
    if (copied == 0) break;  // not between these files
    offset += copied;
    size_ += copied;
    count -= copied;
    start_writeback();
  }
  std::vector<std::byte> block(std::min<std::uint64_t>(count, buffer_bytes));
  while (count > 0) {
    const std::span part = std::span(block).first(std::min<std::uint64_t>(count, block.size()));
    EMBD_TRY(source.read_at(offset, part, path_));
    EMBD_TRY(write(part));
    offset += part.size();
    count -= part.size();
  }
  return {};
}

Result<void> OutputFile::write_at(std::uint64_t offset, Bytes bytes) {
  EMBD_TRY(flush());
  return file_.write_at(offset, bytes, path_);
}

Result<void> OutputFile::flush() {
  EMBD_TRY(file_.write(buffer_, path_));
  buffer_.clear();
  start_writeback();
  return {};
}

Result<void> OutputFile::send_waiting_bytes() {
  std::vector<std::byte> block(std::min<std::uint64_t>(size_, buffer_bytes));
  for (std::uint64_t offset = 0; offset < size_; offset += block.size()) {
    block.resize(std::min<std::uint64_t>(size_ - offset, block.size()));
    EMBD_TRY(file_.read_at(offset, block, path_));
    EMBD_TRY(place_.write(block, path_));
  }
  file_ = std::move(place_);
  return {};
}

Result<void> OutputFile::prepare() {
  if (temporary_.empty() || prepared_) return {};
  EMBD_TRY(flush());
  EMBD_TRY(result_of("sync", path_, file_.sync()));
  EMBD_TRY(check_rename_to(path_));
  prepared_ = true;
  return {};
}

Result<void> OutputFile::finish() {
  if (temporary_.empty()) {
    EMBD_TRY(flush());
    if (place_.is_open()) EMBD_TRY(send_waiting_bytes());
    return result_of("close", path_, file_.close());
  }
  EMBD_TRY(prepare());
  // The file is closed only after it has its name, because until then its lock shows that it is not
  // abandoned.
  EMBD_TRY(result_of("rename", path_, os::rename(temporary_.get(), path_)));
  temporary_.release();
  (void)file_.close();
  return sync_directory_of(path_);
}

Result<void> write_text_file(const std::filesystem::path& path, std::string_view text) {
  OutputFile file = EMBD_TRY(OutputFile::create(path));
  EMBD_TRY(file.write(as_bytes(text)));
  return file.finish();
}

Result<OutputDirectory> OutputDirectory::create(const std::filesystem::path& path,
                                                CheckReplaceable check) {
  OutputDirectory directory;
  directory.target_ = follow_links(without_trailing_slash(path));
  directory.check_ = check;
  if (is_written_in_place(directory.target_)) {
    return fail_in(path, ErrorCode::invalid_argument,
                   "the output consists of several files in a directory, which a device or a pipe "
                   "cannot take: name a directory");
  }
  EMBD_TRY(check_directory(directory.target_, check));
  directory.temporary_ = EMBD_TRY(TemporaryFolder::create(directory.target_));
  return directory;
}

Result<void> OutputDirectory::finish() {
  EMBD_TRY(check_directory(target_, check_));
  take_attributes(temporary_.path(), target_);
  EMBD_TRY(exchange_directory(target_, temporary_.path()));
  remove_if_possible(temporary_.path());
  const FileDescriptor lock = temporary_.release();
  return sync_directory_of(target_);
}

}  // namespace embd
