#include "base/os/file_stamp.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>

namespace embd {
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
