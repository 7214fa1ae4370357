#include "base/file_attributes.h"

#include <fcntl.h>
#include <unistd.h>

namespace embd {
namespace {

constexpr mode_t permission_bits = 07777;
constexpr mode_t identity_bits = S_ISUID | S_ISGID;

void take_from_counterpart(const std::filesystem::path& path,
                           const std::filesystem::path& replaced) {
  struct stat old = {};
  if (::lstat(replaced.c_str(), &old) != 0 || S_ISLNK(old.st_mode)) return;
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat made = {};
  if (!file.is_open() || ::fstat(file.get(), &made) != 0) return;
  if (S_ISDIR(made.st_mode) == S_ISDIR(old.st_mode)) take_attributes(file, old);
}

}  // namespace

void take_attributes(const FileDescriptor& file, const struct stat& replaced) {
  struct stat now = {};
  if (::fstat(file.get(), &now) != 0) return;
  mode_t mode = replaced.st_mode & permission_bits;
  const bool same_owner = now.st_uid == replaced.st_uid ||
                          ::fchown(file.get(), replaced.st_uid, static_cast<gid_t>(-1)) == 0;
  const bool same_group = now.st_gid == replaced.st_gid ||
                          ::fchown(file.get(), static_cast<uid_t>(-1), replaced.st_gid) == 0;
  if (!same_owner || !same_group) mode &= ~identity_bits;
  if (!same_group) mode = (mode & ~mode_t{S_IRWXG}) | ((mode & S_IRWXO) << 3);
  ::fchmod(file.get(), mode);
}

void take_attributes(const std::filesystem::path& path, const std::filesystem::path& replaced) {
  take_from_counterpart(path, replaced);
  std::error_code error;
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(path, error))) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error))
    take_from_counterpart(entry.path(), replaced / entry.path().lexically_relative(path));
}

}  // namespace embd
