#include "base/os/file_attributes.h"

#include <sys/stat.h>
#include <unistd.h>

namespace embd {
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
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error))
    take_from_counterpart(entry.path(), replaced / entry.path().lexically_relative(path));
}

}  // namespace embd
