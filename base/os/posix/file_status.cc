#include "base/os/file_status.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/os/posix/last_error.h"

namespace embd {
namespace {

constexpr mode_t permission_bits = 07777;

FileKind kind_of(mode_t mode) noexcept {
  if (S_ISREG(mode)) return FileKind::file;
  if (S_ISDIR(mode)) return FileKind::folder;
  if (S_ISLNK(mode)) return FileKind::link;
  if (S_ISCHR(mode)) return FileKind::character_device;
  return FileKind::other;
}

FileTime time_of(const timespec& time) noexcept {
  return {.seconds = time.tv_sec, .nanoseconds = time.tv_nsec};
}

template <class Stat>
os::Outcome<FileStatus> status_by(Stat stat_into) noexcept {
  struct stat status = {};
  if (stat_into(&status) != 0) return std::unexpected(os::last_error());
  return FileStatus{.kind = kind_of(status.st_mode),
                    .identity = {.device = status.st_dev, .inode = status.st_ino},
                    .size = static_cast<std::uint64_t>(status.st_size),
                    .owner = status.st_uid,
                    .group = status.st_gid,
                    .permissions = status.st_mode & permission_bits,
                    .modified = time_of(status.st_mtim),
                    .changed = time_of(status.st_ctim)};
}

std::optional<FileIdentity> identity_in(const os::Outcome<FileStatus>& status) {
  if (!status) return std::nullopt;
  return status->identity;
}

}  // namespace

namespace os {

Outcome<FileStatus> status_of(const std::filesystem::path& path) noexcept {
  return status_by([&](struct stat* status) { return ::stat(path.c_str(), status); });
}

Outcome<FileStatus> status_of_name(const std::filesystem::path& path) noexcept {
  return status_by([&](struct stat* status) { return ::lstat(path.c_str(), status); });
}

Outcome<FileStatus> status_of(const FileDescriptor& file) noexcept {
  return status_by([&](struct stat* status) { return ::fstat(file.get(), status); });
}

Outcome<FileStatus> status_of_standard_output() noexcept {
  return status_by([](struct stat* status) { return ::fstat(STDOUT_FILENO, status); });
}

bool exists(const std::filesystem::path& path) noexcept {
  return status_of(path).has_value();
}

bool is_file(const std::filesystem::path& path) noexcept {
  const auto status = status_of(path);
  return status && status->kind == FileKind::file;
}

bool is_folder(const std::filesystem::path& path) noexcept {
  const auto status = status_of(path);
  return status && status->kind == FileKind::folder;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_regular_file(error)) files.push_back(entry.path());
  return files;
}

}  // namespace os

std::optional<FileIdentity> identity_of(const std::filesystem::path& path) {
  return identity_in(os::status_of(path));
}

std::optional<FileIdentity> identity_of_name(const std::filesystem::path& path) {
  return identity_in(os::status_of_name(path));
}

std::optional<FileIdentity> identity_of(const FileDescriptor& file) {
  return identity_in(os::status_of(file));
}

}  // namespace embd
