#include "base/os/file_status.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>

#include "base/os/linux/last_error.h"

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

}  // namespace os

namespace {

constexpr mode_t identity_bits = S_ISUID | S_ISGID;

void take_from_counterpart(const std::filesystem::path& path,
                           const std::filesystem::path& replaced) {
  const auto old = os::status_of_name(replaced);
  if (!old || old->kind == FileKind::link) return;
  const auto file = FileDescriptor::try_open(path, Opening::read_entry);
  if (!file) return;
  const auto made = os::status_of(*file);
  if (made && (made->kind == FileKind::folder) == (old->kind == FileKind::folder))
    take_attributes(*file, *old);
}

}  // namespace

void take_attributes(const FileDescriptor& file, const FileStatus& replaced) {
  const auto now = os::status_of(file);
  if (!now) return;
  mode_t mode = replaced.permissions;
  const bool same_owner = now->owner == replaced.owner ||
                          ::fchown(file.get(), replaced.owner, static_cast<gid_t>(-1)) == 0;
  const bool same_group = now->group == replaced.group ||
                          ::fchown(file.get(), static_cast<uid_t>(-1), replaced.group) == 0;
  if (!same_owner || !same_group) mode &= ~identity_bits;
  if (!same_group) mode = (mode & ~mode_t{S_IRWXG}) | ((mode & S_IRWXO) << 3);
  (void)file.set_permissions(mode);
}

void take_attributes(const std::filesystem::path& path, const std::filesystem::path& replaced) {
  take_from_counterpart(path, replaced);
  std::error_code error;
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(path, error))) return;
  std::filesystem::recursive_directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error))
    take_from_counterpart(entry->path(), replaced / entry->path().lexically_relative(path));
}

namespace {

/// STATX_MNT_ID_UNIQUE of Linux 6.8: the number of a mount, which no later mount gets again.
constexpr unsigned unique_mount = 0x4000;

/// An upper bound of the steps in which file times advance: a tick of the clock, or a second on an
/// ext4 with small inodes.
constexpr std::time_t longest_step_seconds = 2;

/// Returns true if the file system records the time of every change, including changes through a
/// mapping. File systems in memory, over a network, in another process, or over other file systems
/// do not.
bool notes_every_change(const FileDescriptor& file) {
  struct statfs system = {};
  if (::fstatfs(file.get(), &system) != 0) return false;
  switch (system.f_type) {
    case EXT4_SUPER_MAGIC:  // of ext2 and ext3, too
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
      return true;
    default:
      return false;
  }
}

/// Returns an id of this start of the system; empty if it is unknown.
std::string boot_id() {
  const auto file = FileDescriptor::try_open("/proc/sys/kernel/random/boot_id", Opening::read);
  if (!file) return "";
  std::array<std::byte, 64> bytes = {};
  const auto size = file->read_some(bytes, "");
  if (!size) return "";
  std::string id(as_text(Bytes(bytes).first(*size)));
  id.erase(std::ranges::remove_if(id, [](char c) { return c <= ' '; }).begin(), id.end());
  return id;
}

}  // namespace

std::optional<std::string> stamp_of(const FileDescriptor& file) {
  constexpr unsigned wanted = STATX_BASIC_STATS;
  struct statx status = {};
  if (!notes_every_change(file) ||
      ::statx(file.get(), "", AT_EMPTY_PATH, wanted | STATX_MNT_ID | unique_mount, &status) != 0)
    return std::nullopt;
  // A crash, or a disk that is pulled out, can leave new bytes under old times. So a stamp is good
  // for one start of the system and one mount.
  const std::string boot = boot_id();
  const bool knows_mount = (status.stx_mask & (STATX_MNT_ID | unique_mount)) != 0;
  if (boot.empty() || !knows_mount || (status.stx_mask & wanted) != wanted ||
      !S_ISREG(status.stx_mode))
    return std::nullopt;
  const auto time = [](const statx_timestamp& at) {
    return fmt::format("{}.{:09}", at.tv_sec, at.tv_nsec);
  };
  return fmt::format("{} {} {}:{} {} {} {} {}", boot, status.stx_mnt_id, status.stx_dev_major,
                     status.stx_dev_minor, status.stx_ino, status.stx_size, time(status.stx_mtime),
                     time(status.stx_ctime));
}

bool is_at_rest(const FileDescriptor& file) {
  struct stat status = {};
  struct timespec now = {};
  if (::fstat(file.get(), &status) != 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0) return false;
  if (now.tv_sec - status.st_ctim.tv_sec <= longest_step_seconds) return false;
  // The kernel grants a lease for reading only if nobody has the file open for writing, or mapped
  // for writing after closing it. A process that opens the file for writing while we hold the lease
  // waits until we release it, and we are sent a signal that nobody has to handle.
  ::fcntl(file.get(), F_SETSIG, SIGURG);
  if (::fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0) return false;
  return ::fcntl(file.get(), F_SETLEASE, F_UNLCK) == 0;
}

}  // namespace embd
