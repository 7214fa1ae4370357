#include "base/os/file_status.h"

#include "base/os/windows/windows.h"

namespace embd {
namespace {

/// Converts a time that counts in steps of 100 nanoseconds from the beginning of 1601.
FileTime time_of(LARGE_INTEGER time) noexcept {
  constexpr std::int64_t steps_per_second = 10'000'000;
  constexpr std::int64_t seconds_until_1970 = 11'644'473'600;
  std::int64_t seconds = time.QuadPart / steps_per_second;
  const std::int64_t rest = time.QuadPart % steps_per_second;
  return {.seconds = seconds - seconds_until_1970, .nanoseconds = rest * 100};
}

FileKind kind_of(HANDLE file, DWORD attributes) noexcept {
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
    // Others, such as files that are kept elsewhere until they are read, are files like any other.
    FILE_ATTRIBUTE_TAG_INFO tag = {};
    if (::GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof tag) != FALSE &&
        (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK || tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT))
      return FileKind::link;
  }
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FileKind::folder : FileKind::file;
}

os::Outcome<FileStatus> status_of_handle(HANDLE file) noexcept {
  FileStatus status;
  switch (::GetFileType(file)) {
    case FILE_TYPE_DISK:
      break;
    case FILE_TYPE_CHAR:
      status.kind = FileKind::character_device;
      return status;
    case FILE_TYPE_PIPE:
      return status;
    default:
      return std::unexpected(std::errc::bad_file_descriptor);
  }
  BY_HANDLE_FILE_INFORMATION about = {};
  FILE_BASIC_INFO basic = {};
  FILE_STANDARD_INFO standard = {};
  if (::GetFileInformationByHandleEx(file, FileBasicInfo, &basic, sizeof basic) == FALSE ||
      ::GetFileInformationByHandleEx(file, FileStandardInfo, &standard, sizeof standard) == FALSE)
    return std::unexpected(os::last_error());
  // Wine does not know a file that a shell of Linux has opened as standard input or output well
  // enough to tell its identity, and calls the handle invalid.
  if (::GetFileInformationByHandle(file, &about) == FALSE &&
      ::GetLastError() != ERROR_INVALID_HANDLE)
    return std::unexpected(os::last_error());
  status.kind = kind_of(file, basic.FileAttributes);
  status.identity = {.device = about.dwVolumeSerialNumber,
                     .inode = (std::uint64_t{about.nFileIndexHigh} << 32U) | about.nFileIndexLow};
  status.size = static_cast<std::uint64_t>(standard.EndOfFile.QuadPart);
  const bool is_readonly = (basic.FileAttributes & FILE_ATTRIBUTE_READONLY) != 0;
  status.permissions = status.kind == FileKind::folder ? 0777 : is_readonly ? 0444 : 0666;
  status.modified = time_of(basic.LastWriteTime);
  status.changed = time_of(basic.ChangeTime);
  return status;
}

os::Outcome<FileStatus> status_at(const std::filesystem::path& path, DWORD flags) noexcept {
  const os::Handle file(::CreateFileW(
      path.c_str(), FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
      nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, nullptr));
  if (!file.is_open()) return std::unexpected(os::last_error());
  return status_of_handle(file.get());
}

}  // namespace

namespace os {

Outcome<FileStatus> status_of(const std::filesystem::path& path) noexcept {
  return status_at(path, 0);
}

Outcome<FileStatus> status_of_name(const std::filesystem::path& path) noexcept {
  return status_at(path, FILE_FLAG_OPEN_REPARSE_POINT);
}

Outcome<FileStatus> status_of(const FileDescriptor& file) noexcept {
  return status_of_handle(handle_of(file.get()));
}

Outcome<FileStatus> status_of_standard_output() noexcept {
  return status_of_handle(::GetStdHandle(STD_OUTPUT_HANDLE));
}

}  // namespace os

}  // namespace embd
