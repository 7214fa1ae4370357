#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

constexpr std::size_t buffer_bytes = 1 << 18;
/// So many bytes at a time are sent on to the disk while the next ones are made, which leaves
/// little to wait for when the file is synced.
constexpr std::uint64_t writeback_bytes = 8 << 20;

std::filesystem::path temporary_beside(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter = 0;
  std::filesystem::path name = path;
  name += fmt::format(".{}-{}.tmp", ::getpid(), counter.fetch_add(1));
  return name;
}

/// Calls `make` with temporary names until there is no file of that name: a process that was killed
/// may have had our id. Returns what `make` returns, or a negative number and errno.
template <class Make>
int make_beside(const std::filesystem::path& path, std::filesystem::path& name, Make make) {
  int made = 0;
  do {
    name = temporary_beside(path);
    made = make(name.c_str());
  } while (made < 0 && errno == EEXIST);
  return made;
}

/// Where symbolic links end; inside /proc if they lead to a file that the process has open.
std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // as the system follows
  std::error_code error;
  for (int i = 0; i < most_links; ++i) {
    const auto parent =
        std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
    if (error || parent.native().starts_with("/proc/")) break;
    const auto target = std::filesystem::read_symlink(parent / path.filename(), error);
    if (error) break;
    path = parent / target;
  }
  return path;
}

bool leads_through_proc(const std::filesystem::path& path) {
  std::error_code error;
  const auto parent = std::filesystem::canonical(path.parent_path(), error);
  return !error && parent.native().starts_with("/proc/");
}

Result<void> sync_directory_of(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  const FileDescriptor directory = EMBD_TRY(FileDescriptor::open(parent, O_RDONLY | O_DIRECTORY));
  // Some file systems cannot sync a directory; the rename itself has happened.
  ::fsync(directory.get());
  return {};
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  OutputFile file;
  file.path_ = follow_links(path);
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return std::unexpected(Error(ErrorCode::io_failed, "is a directory").in_file(path.native()));
  }
  if (exists && (!S_ISREG(status.st_mode) || leads_through_proc(file.path_))) {
    file.file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  } else {
    const auto make = [](const char* name) {
      return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    };
    file.file_ = FileDescriptor(make_beside(file.path_, file.temporary_, make));
  }
  if (!file.file_.is_open()) {
    file.temporary_.clear();
    return std::unexpected(system_error("create", path));
  }
  file.buffer_.reserve(buffer_bytes);
  return file;
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
      size_(other.size_),
      sent_(other.sent_),
      buffer_(std::move(other.buffer_)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  std::swap(file_, other.file_);
  std::swap(size_, other.size_);
  std::swap(sent_, other.sent_);
  std::swap(buffer_, other.buffer_);
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

Result<void> OutputFile::finish() {
  EMBD_TRY(flush());
  const bool direct = temporary_.empty();
  if (!direct && ::fsync(file_.get()) != 0) return std::unexpected(system_error("sync", path_));
  if (!file_.close()) return std::unexpected(system_error("close", path_));
  if (direct) return {};
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    return std::unexpected(system_error("rename", path_));
  temporary_.clear();
  return sync_directory_of(path_);
}

void remove_leftovers(const std::filesystem::path& path, std::uint64_t process) noexcept {
  try {
    const std::filesystem::path target =
        follow_links(path.has_filename() ? path : path.parent_path());
    const std::string begin = target.filename().native();
    const std::string middle = fmt::format(".{}-", process);
    const auto folder = target.has_parent_path() ? target.parent_path() : ".";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().native();
      if (!name.starts_with(begin) || !name.ends_with(".tmp")) continue;
      const std::size_t dot = name.rfind('.', name.size() - sizeof(".tmp"));
      if (dot == std::string::npos || name.compare(dot, middle.size(), middle) != 0) continue;
      std::error_code ignored;
      std::filesystem::remove_all(entry.path(), ignored);
    }
  } catch (const std::exception&) {  // They stay.
  }
}

Result<OutputDirectory> OutputDirectory::create(
    const std::filesystem::path& path,
    bool (*is_replaceable)(const std::filesystem::path& directory)) {
  OutputDirectory directory;
  directory.target_ = follow_links(path.has_filename() ? path : path.parent_path());
  std::error_code error;
  if (std::filesystem::is_directory(directory.target_, error) &&
      !std::filesystem::is_empty(directory.target_, error) && !is_replaceable(directory.target_)) {
    return std::unexpected(
        Error(ErrorCode::io_failed, "a directory with other files, which is not replaced")
            .in_file(path.native()));
  }
  std::filesystem::path temporary;
  const auto make = [](const char* name) { return ::mkdir(name, 0777); };
  if (make_beside(directory.target_, temporary, make) != 0)
    return std::unexpected(system_error("create", path));
  directory.temporary_ = temporary;
  return directory;
}

OutputDirectory::OutputDirectory(OutputDirectory&& other) noexcept
    : target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})) {}

OutputDirectory& OutputDirectory::operator=(OutputDirectory&& other) noexcept {
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  return *this;
}

OutputDirectory::~OutputDirectory() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

Result<void> OutputDirectory::finish() {
  // A directory cannot be renamed over a full one: move the old one aside first, remove it last.
  std::filesystem::path old;
  struct stat status = {};
  if (::lstat(target_.c_str(), &status) == 0) {
    old = temporary_beside(target_);
    if (::rename(target_.c_str(), old.c_str()) != 0)
      return std::unexpected(system_error("replace", target_));
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    Error error = system_error("rename", target_);
    if (!old.empty()) ::rename(old.c_str(), target_.c_str());
    return std::unexpected(std::move(error));
  }
  temporary_.clear();
  std::error_code ignored;
  if (!old.empty()) std::filesystem::remove_all(old, ignored);
  return sync_directory_of(target_);
}

}  // namespace embd
