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

/// STATX_MNT_ID_UNIQUE of Linux 6.8: the number of a mount that no later one gets again.
constexpr unsigned unique_mount = 0x4000;

/// Times are in steps of the clock's tick, or of a second on an ext4 with small inodes.
constexpr std::time_t longest_step_seconds = 2;

/// Whether its kernel code notes the time of every change, those through a map included. Not so: a
/// file system in memory, one over a network or in another process, one over other file systems.
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

/// Of this start of the system. Empty if unknown.
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
  // The kernel grants a lease for reading only where no open file can write, not even one that is
  // closed but mapped. Whoever opens the file for writing in the instant that we hold it waits for
  // its end, and we are sent a signal: one that nobody has to handle.
  ::fcntl(file.get(), F_SETSIG, SIGURG);
  if (::fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0) return false;
  return ::fcntl(file.get(), F_SETLEASE, F_UNLCK) == 0;
}

}  // namespace embd
