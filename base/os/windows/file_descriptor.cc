#include "base/os/file_descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <io.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "base/os/file_status.h"
#include "base/os/process.h"
#include "base/os/windows/windows.h"
#include "base/path_text.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

using os::handle_of;
using os::number_of;

/// Others may read, write, rename and remove every file that this process has open, as on Linux.
constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
/// Without the first flag folders cannot be opened.
constexpr DWORD follow = FILE_FLAG_BACKUP_SEMANTICS;
constexpr DWORD do_not_follow = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT;

struct OpenArguments {
  DWORD access;
  DWORD disposition;
  DWORD flags;
};

OpenArguments arguments_of(Opening how) noexcept {
  switch (how) {
    case Opening::read:
    case Opening::read_folder:
      return {GENERIC_READ, OPEN_EXISTING, follow};
    case Opening::read_entry:
    case Opening::read_folder_entry:
      return {GENERIC_READ, OPEN_EXISTING, do_not_follow};
    case Opening::identify:
      return {FILE_READ_ATTRIBUTES, OPEN_EXISTING, follow};
    case Opening::write:
      return {GENERIC_WRITE, OPEN_EXISTING, 0};
    case Opening::create:
      return {GENERIC_WRITE, CREATE_NEW, 0};
    case Opening::create_private:
      return {GENERIC_WRITE, OPEN_ALWAYS, do_not_follow};
    case Opening::update:
      return {GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, do_not_follow};
  }
  return {GENERIC_READ, OPEN_EXISTING, follow};
}

/// Returns true if the system makes another name of `path`: it drops dots and spaces at the end,
/// and takes what follows a colon for the name of a stream beside the file's bytes.
bool is_changed_by_system(const std::filesystem::path& path) {
  const std::filesystem::path name = path.filename();
  if (name.empty() || name == "." || name == "..") return false;
  return name.native().ends_with(L'.') || name.native().ends_with(L' ') ||
         name.native().find(L':') != std::wstring::npos;
}

std::errc check_kind(const FileDescriptor& file, Opening how) noexcept {
  const bool is_folder = how == Opening::read_folder || how == Opening::read_folder_entry;
  const bool is_entry = how == Opening::read_entry || how == Opening::read_folder_entry ||
                        how == Opening::create_private || how == Opening::update;
  if (!is_folder && !is_entry) return {};
  const auto status = os::status_of(file);
  if (!status) return status.error();
  if (is_entry && status->kind == FileKind::link) return std::errc::too_many_symbolic_link_levels;
  if (is_folder && status->kind != FileKind::folder) return std::errc::not_a_directory;
  return {};
}

/// Reads and writes at an offset move the position of a file, so nobody else may use the position
/// meanwhile. Files whose numbers are equal modulo a small number share a mutex.
std::mutex& mutex_of(int fd) noexcept {
  static std::array<std::mutex, 64> mutexes;
  return mutexes[static_cast<std::size_t>(fd) / 4 % mutexes.size()];  // handles count in fours
}

bool is_on_disk(int fd) noexcept {
  return ::GetFileType(handle_of(fd)) == FILE_TYPE_DISK;
}

/// Keeps the position of a file for the time of a read or write at an offset.
class KeptPosition {
 public:
  explicit KeptPosition(int fd) noexcept : lock_(mutex_of(fd)), file_(handle_of(fd)) {
    ::SetFilePointerEx(file_, {}, &position_, FILE_CURRENT);
  }
  KeptPosition(const KeptPosition&) = delete;
  KeptPosition& operator=(const KeptPosition&) = delete;
  ~KeptPosition() { ::SetFilePointerEx(file_, position_, nullptr, FILE_BEGIN); }

 private:
  std::lock_guard<std::mutex> lock_;
  HANDLE file_;
  LARGE_INTEGER position_ = {};
};

OVERLAPPED at(std::uint64_t offset) noexcept {
  OVERLAPPED place = {};
  place.Offset = os::low_half(offset);
  place.OffsetHigh = os::high_half(offset);
  return place;
}

/// The most bytes of one call.
DWORD count_of(std::size_t size) noexcept {
  constexpr std::size_t most = 1 << 30;
  return static_cast<DWORD>(std::min(size, most));
}

/// Reads at `place`, or at the file's position if it is null. Returns 0 at the end of a file, and
/// when everybody who could write to a pipe has closed it.
os::Outcome<std::size_t> read(int fd, std::span<std::byte> out, OVERLAPPED* place) noexcept {
  DWORD count = 0;
  if (::ReadFile(handle_of(fd), out.data(), count_of(out.size()), &count, place) != FALSE)
    return count;
  const DWORD error = ::GetLastError();
  if (error == ERROR_HANDLE_EOF || error == ERROR_BROKEN_PIPE) return 0;
  return std::unexpected(os::reason_of(error));
}

os::Outcome<std::size_t> write(int fd, Bytes bytes, OVERLAPPED* place) noexcept {
  DWORD count = 0;
  if (::WriteFile(handle_of(fd), bytes.data(), count_of(bytes.size()), &count, place) == FALSE)
    return std::unexpected(os::last_error());
  return count;
}

/// The locks of folders. The system can lock bytes of files only, so the lock of a folder is an
/// event whose name tells the folder's identity, and whoever has made it has the lock.
class FolderLocks {
 public:
  static FolderLocks& all() {
    static FolderLocks locks;
    return locks;
  }

  os::Outcome<void> try_lock(int folder, const FileIdentity& identity) {
    const std::string name = fmt::format("Global\\embd-{:x}-{:x}", identity.device, identity.inode);
    const HANDLE event = ::CreateEventA(nullptr, TRUE, FALSE, name.c_str());
    if (event == nullptr) return std::unexpected(os::last_error());
    if (::GetLastError() == ERROR_ALREADY_EXISTS) {
      ::CloseHandle(event);
      return std::unexpected(std::errc::operation_would_block);
    }
    const std::lock_guard lock(mutex_);
    events_.emplace(folder, event);
    count_ = events_.size();
    return {};
  }
  void unlock(int folder) noexcept {
    if (count_ == 0) return;
    const std::lock_guard lock(mutex_);
    if (const auto found = events_.find(folder); found != events_.end()) {
      ::CloseHandle(found->second);
      events_.erase(found);
      count_ = events_.size();
    }
  }

 private:
  std::mutex mutex_;
  std::map<int, HANDLE> events_;
  std::atomic<std::size_t> count_ = 0;
};

/// Locks a byte far behind the end of a file: whoever reads a locked byte of a file waits or fails.
os::Outcome<void> lock_byte(int fd, DWORD flags) noexcept {
  OVERLAPPED place = at(std::uint64_t{1} << 62U);
  return os::outcome_of(
      ::LockFileEx(handle_of(fd), flags | LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &place));
}

}  // namespace

os::Outcome<FileDescriptor> FileDescriptor::try_open(const std::filesystem::path& path,
                                                     Opening how) noexcept {
  const auto [access, disposition, flags] = arguments_of(how);
  if (disposition != OPEN_EXISTING && is_changed_by_system(path))
    return std::unexpected(std::errc::invalid_argument);
  const HANDLE handle =
      ::CreateFileW(path.c_str(), access, share_all, nullptr, disposition, flags, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    const std::errc reason = os::last_error();
    // The system calls a folder at the name of a file, and a file that is being removed, a refusal.
    if (how == Opening::create && reason == std::errc::permission_denied && os::exists(path))
      return std::unexpected(std::errc::file_exists);
    return std::unexpected(reason);
  }
  FileDescriptor file(number_of(handle));
  if (const std::errc wrong = check_kind(file, how); wrong != std::errc())
    return std::unexpected(wrong);
  return file;
}

os::Outcome<FileDescriptor> FileDescriptor::duplicate(int number) noexcept {
  HANDLE made = nullptr;
  const HANDLE process = ::GetCurrentProcess();
  if (::DuplicateHandle(process, handle_of(number), process, &made, 0, FALSE,
                        DUPLICATE_SAME_ACCESS) == FALSE)
    return std::unexpected(os::last_error());
  return FileDescriptor(number_of(made));
}

os::Outcome<void> FileDescriptor::close() noexcept {
  if (fd_ < 0) return {};
  FolderLocks::all().unlock(fd_);
  return os::outcome_of(::CloseHandle(handle_of(std::exchange(fd_, -1))));
}

Result<void> FileDescriptor::write(Bytes bytes, const std::filesystem::path& path) const {
  std::unique_lock<std::mutex> lock;
  if (is_on_disk(fd_)) lock = std::unique_lock(mutex_of(fd_));
  while (!bytes.empty()) {
    const auto count = EMBD_TRY(result_of("write", path, embd::write(fd_, bytes, nullptr)));
    bytes = bytes.subspan(count);
  }
  return {};
}

Result<void> FileDescriptor::write_at(std::uint64_t offset, Bytes bytes,
                                      const std::filesystem::path& path) const {
  const KeptPosition position(fd_);
  while (!bytes.empty()) {
    OVERLAPPED place = at(offset);
    const auto count = EMBD_TRY(result_of("write", path, embd::write(fd_, bytes, &place)));
    offset += count;
    bytes = bytes.subspan(count);
  }
  return {};
}

Result<void> FileDescriptor::read_at(std::uint64_t offset, std::span<std::byte> out,
                                     const std::filesystem::path& path) const {
  const KeptPosition position(fd_);
  while (!out.empty()) {
    OVERLAPPED place = at(offset);
    const auto count = EMBD_TRY(result_of("read", path, read(fd_, out, &place)));
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
  std::unique_lock<std::mutex> lock;
  if (is_on_disk(fd_)) lock = std::unique_lock(mutex_of(fd_));
  return result_of("read", path, read(fd_, out, nullptr));
}

bool FileDescriptor::await_input(std::chrono::milliseconds longest) const noexcept {
  const HANDLE file = handle_of(fd_);
  switch (::GetFileType(file)) {
    case FILE_TYPE_CHAR:
      return ::WaitForSingleObject(file, static_cast<DWORD>(longest.count())) != WAIT_TIMEOUT;
    case FILE_TYPE_PIPE:
      break;
    default:
      return true;
  }
  // The system tells what is in a pipe, but cannot wait for it.
  constexpr std::chrono::milliseconds step(5);
  for (auto waited = std::chrono::milliseconds(0);; waited += step) {
    DWORD available = 0;
    if (::PeekNamedPipe(file, nullptr, 0, nullptr, &available, nullptr) == FALSE || available > 0)
      return true;
    if (waited >= longest) return false;
    ::Sleep(static_cast<DWORD>(step.count()));
  }
}

os::Outcome<void> FileDescriptor::resize(std::uint64_t size) const noexcept {
  FILE_END_OF_FILE_INFO end = {};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  return os::outcome_of(
      ::SetFileInformationByHandle(handle_of(fd_), FileEndOfFileInfo, &end, sizeof end));
}

os::Outcome<void> FileDescriptor::sync() const noexcept {
  const auto status = os::status_of(*this);
  if (status && status->kind == FileKind::folder) return {};  // The system syncs no folders.
  return os::outcome_of(::FlushFileBuffers(handle_of(fd_)));
}

os::Outcome<void> FileDescriptor::set_permissions(unsigned /*permissions*/) const noexcept {
  return {};  // A file has those of its folder.
}

os::Outcome<void> FileDescriptor::lock() const noexcept {
  const auto status = os::status_of(*this);
  if (!status || status->kind != FileKind::folder) return lock_byte(fd_, 0);
  while (true) {
    const auto locked = FolderLocks::all().try_lock(fd_, status->identity);
    if (locked || locked.error() != std::errc::operation_would_block) return locked;
    ::Sleep(1);
  }
}

os::Outcome<void> FileDescriptor::try_lock() const noexcept {
  const auto status = os::status_of(*this);
  if (!status || status->kind != FileKind::folder) return lock_byte(fd_, LOCKFILE_FAIL_IMMEDIATELY);
  return FolderLocks::all().try_lock(fd_, status->identity);
}

}  // namespace embd

namespace embd::os {
namespace {

Outcome<FileDescriptor> standard_stream(DWORD which) noexcept {
  return FileDescriptor::duplicate(number_of(::GetStdHandle(which)));
}

bool is_terminal(DWORD which) noexcept {
  DWORD mode = 0;
  return ::GetConsoleMode(::GetStdHandle(which), &mode) != FALSE;
}

/// Makes a file that disappears when it is closed. `attributes` are those of CreateFile().
Outcome<FileDescriptor> create_passing_file(const std::filesystem::path& folder,
                                            DWORD attributes) noexcept {
  while (true) {
    const std::filesystem::path name =
        folder / path_of_text(fmt::format(".embd-{:016x}", random_number()));
    const HANDLE handle =
        ::CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, 0, nullptr, CREATE_NEW,
                      attributes | FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (handle != INVALID_HANDLE_VALUE) return FileDescriptor(number_of(handle));
    if (last_error() != std::errc::file_exists) return std::unexpected(last_error());
  }
}

}  // namespace

Outcome<FileDescriptor> standard_input() noexcept {
  return standard_stream(STD_INPUT_HANDLE);
}

Outcome<FileDescriptor> standard_output() noexcept {
  return standard_stream(STD_OUTPUT_HANDLE);
}

bool is_output_terminal() noexcept {
  return is_terminal(STD_OUTPUT_HANDLE);
}

bool is_error_terminal() noexcept {
  return is_terminal(STD_ERROR_HANDLE);
}

void print_error(std::string_view text) noexcept {
  DWORD written = 0;
  ::WriteFile(::GetStdHandle(STD_ERROR_HANDLE), text.data(), count_of(text.size()), &written,
              nullptr);
}

void occupy_closed_standard_streams() noexcept {
  for (const DWORD which : {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    const HANDLE given = ::GetStdHandle(which);
    if (given != nullptr && given != INVALID_HANDLE_VALUE) continue;
    const DWORD access = which == STD_INPUT_HANDLE ? GENERIC_WRITE : GENERIC_READ;
    ::SetStdHandle(which,
                   ::CreateFileW(L"NUL", access, share_all, nullptr, OPEN_EXISTING, 0, nullptr));
  }
  // Bytes are written as they are, without a carriage return before each line end.
  for (const int stream : {0, 1, 2}) ::_setmode(stream, _O_BINARY);
  ::SetConsoleOutputCP(CP_UTF8);
}

}  // namespace embd::os

namespace embd {

Result<FileDescriptor> create_unnamed_file(const std::filesystem::path& directory) {
  return result_of("create a temporary file in", directory,
                   os::create_passing_file(directory, FILE_ATTRIBUTE_NORMAL));
}

os::Outcome<FileDescriptor> create_file_in_memory(const char* /*name*/) noexcept {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  // The system writes such a file to the disk only if it lacks memory.
  return os::create_passing_file(folder, FILE_ATTRIBUTE_TEMPORARY);
}

}  // namespace embd
