#include "base/file_identity.h"

#include <sys/stat.h>

namespace embd {
namespace {

template <class Stat>
std::optional<FileIdentity> identity_by(Stat stat_into) {
  struct stat status = {};
  if (stat_into(&status) != 0) return std::nullopt;
  return FileIdentity{.device = status.st_dev, .inode = status.st_ino};
}

}  // namespace

std::optional<FileIdentity> identity_of(const std::filesystem::path& path) {
  return identity_by([&](struct stat* status) { return ::stat(path.c_str(), status); });
}

std::optional<FileIdentity> identity_of_name(const std::filesystem::path& path) {
  return identity_by([&](struct stat* status) { return ::lstat(path.c_str(), status); });
}

std::optional<FileIdentity> identity_of(const FileDescriptor& file) {
  return identity_by([&](struct stat* status) { return ::fstat(file.get(), status); });
}

}  // namespace embd
