#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/directories.h"
#include "base/file_attributes.h"
#include "base/links.h"
#include "base/path_names.h"
#include "base/system_error.h"
#include "base/temporary_entry.h"
#include "base/try.h"
#include "base/unnamed_file.h"

namespace embd {
namespace {

constexpr std::size_t buffer_bytes = 1 << 18;
/// So many bytes at a time are sent on to the disk while the next ones are made, which leaves
/// little to wait for when the file is synced.
constexpr std::uint64_t writeback_bytes = 8 << 20;

Result<void> check_directory(const std::filesystem::path& path, CheckReplaceable check) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {};
  return check(path);
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& path, WriteOrder order) {
  OutputFile file;
  file.path_ = follow_links(path);
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return fail_in(path, ErrorCode::io_failed, "is a directory");
  }
  if (is_written_in_place(path)) {
    EMBD_TRY(file.open_in_place(path, order));
  } else {
    TemporaryEntry entry = EMBD_TRY(create_temporary_file(file.path_));
    file.temporary_ = std::move(entry.path);
    file.file_ = std::move(entry.descriptor);
    if (exists) take_attributes(file.file_, status);
  }
  file.buffer_.reserve(buffer_bytes);
  return file;
}

Result<void> OutputFile::open_in_place(const std::filesystem::path& path, WriteOrder order) {
  // A file that is open already is written from where it stands, as standard output is.
  const auto number = open_file_number(path);
  file_ = FileDescriptor(number ? ::fcntl(*number, F_DUPFD_CLOEXEC, 0)
                                : ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!file_.is_open()) return std::unexpected(system_error("create", path));
  if (order == WriteOrder::in_order) return {};
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  place_ = std::exchange(file_, EMBD_TRY(create_unnamed_file(error ? "/tmp" : folder)));
  return {};
}

Result<OutputFile> OutputFile::standard_output() {
  OutputFile file;
  file.path_ = "standard output";
  file.file_ = FileDescriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
  if (!file.file_.is_open()) return std::unexpected(system_error("open", file.path_));
  file.buffer_.reserve(buffer_bytes);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)),
      place_(std::move(other.place_)),
      size_(other.size_),
      sent_(other.sent_),
      buffer_(std::move(other.buffer_)),
      prepared_(other.prepared_) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  std::swap(file_, other.file_);
  std::swap(place_, other.place_);
  std::swap(size_, other.size_);
  std::swap(sent_, other.sent_);
  std::swap(buffer_, other.buffer_);
  std::swap(prepared_, other.prepared_);
  return *this;
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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

/// All bytes but those in the buffer are in the file.
void OutputFile::start_writeback() noexcept {
  const std::uint64_t written = size_ - buffer_.size();
  if (temporary_.empty() || written - sent_ < writeback_bytes) return;
  // Only a hint: finish() syncs, and says what went wrong.
  ::sync_file_range(file_.get(), static_cast<off_t>(sent_), static_cast<off_t>(written - sent_),
                    SYNC_FILE_RANGE_WRITE);
  sent_ = written;
}

Result<void> OutputFile::append_from(const FileDescriptor& source, std::uint64_t offset,
                                     std::uint64_t count) {
  EMBD_TRY(flush());
  auto from = static_cast<off_t>(offset);
  while (count > 0) {
    const ssize_t copied = ::copy_file_range(source.get(), &from, file_.get(), nullptr,
                                             std::min(count, writeback_bytes), 0);
    if (copied <= 0) break;  // not between these files
    size_ += static_cast<std::uint64_t>(copied);
    count -= static_cast<std::uint64_t>(copied);
    start_writeback();
  }
  std::vector<std::byte> block(std::min<std::uint64_t>(count, buffer_bytes));
  while (count > 0) {
    const std::span part = std::span(block).first(std::min<std::uint64_t>(count, block.size()));
    EMBD_TRY(source.read_at(static_cast<std::uint64_t>(from), part, path_));
    EMBD_TRY(write(part));
    from += static_cast<off_t>(part.size());
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
  if (::fsync(file_.get()) != 0) return std::unexpected(system_error("sync", path_));
  EMBD_TRY(check_rename_to(path_));
  prepared_ = true;
  return {};
}

Result<void> OutputFile::finish() {
  if (temporary_.empty()) {
    EMBD_TRY(flush());
    if (place_.is_open()) EMBD_TRY(send_waiting_bytes());
    if (!file_.close()) return std::unexpected(system_error("close", path_));
    return {};
  }
  EMBD_TRY(prepare());
  // Closed only when it has its name: until then the lock says that it is not abandoned.
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    return std::unexpected(system_error("rename", path_));
  temporary_.clear();
  file_.close();
  return sync_directory_of(path_);
}

Result<OutputDirectory> OutputDirectory::create(const std::filesystem::path& path,
                                                CheckReplaceable check) {
  OutputDirectory directory;
  directory.target_ = follow_links(without_trailing_slash(path));
  directory.check_ = check;
  if (is_written_in_place(directory.target_)) {
    return fail_in(path, ErrorCode::invalid_argument,
                   "a directory cannot be written to a device or a pipe");
  }
  EMBD_TRY(check_directory(directory.target_, check));
  TemporaryEntry entry = EMBD_TRY(create_temporary_directory(directory.target_));
  directory.temporary_ = std::move(entry.path);
  directory.lock_ = std::move(entry.descriptor);
  return directory;
}

OutputDirectory::OutputDirectory(OutputDirectory&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      lock_(std::move(other.lock_)),
      check_(other.check_) {}

OutputDirectory& OutputDirectory::operator=(OutputDirectory&& other) noexcept {
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  std::swap(lock_, other.lock_);
  std::swap(check_, other.check_);
  return *this;
}

OutputDirectory::~OutputDirectory() {
  if (temporary_.empty()) return;
  lock_.close();  // Its descriptor may be the last that removing can have.
  remove_if_possible(temporary_);
}

Result<void> OutputDirectory::finish() {
  EMBD_TRY(check_directory(target_, check_));
  take_attributes(temporary_, target_);
  EMBD_TRY(replace_directory(target_, temporary_));
  temporary_.clear();
  lock_.close();
  return sync_directory_of(target_);
}

}  // namespace embd
