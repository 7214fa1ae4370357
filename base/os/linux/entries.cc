#include "base/os/entries.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "base/os/linux/last_error.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace os {

Outcome<void> rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  return outcome_of(::rename(from.c_str(), to.c_str()));
}

Outcome<void> exchange(const std::filesystem::path& a, const std::filesystem::path& b) noexcept {
  return outcome_of(::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE));
}

Outcome<void> remove_file(const std::filesystem::path& path) noexcept {
  return outcome_of(::unlink(path.c_str()));
}

Outcome<void> remove_folder(const std::filesystem::path& path) noexcept {
  return outcome_of(::rmdir(path.c_str()));
}

Outcome<void> remove_tree(const std::filesystem::path& path) noexcept {
  try {
    std::error_code error;
    const std::uintmax_t count = std::filesystem::remove_all(path, error);
    if (error) return std::unexpected(static_cast<std::errc>(error.value()));
    if (count == 0) return std::unexpected(std::errc::no_such_file_or_directory);
    return {};
  } catch (const std::bad_alloc&) {
    return std::unexpected(std::errc::not_enough_memory);
  }
}

Outcome<void> make_folder(const std::filesystem::path& path, unsigned permissions) noexcept {
  return outcome_of(::mkdir(path.c_str(), permissions));
}

Outcome<std::filesystem::path> make_private_folder(const std::filesystem::path& prefix) {
  std::string name = prefix.native() + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return std::unexpected(last_error());
  return name;
}

Outcome<void> make_link(const std::string& target, const std::filesystem::path& link) noexcept {
  return outcome_of(::symlink(target.c_str(), link.c_str()));
}

bool is_permitted(const std::filesystem::path& path, Access access) noexcept {
  return ::access(path.c_str(), access == Access::read ? R_OK : X_OK) == 0;
}

}  // namespace os

Result<void> check_rename_to(const std::filesystem::path& target, bool may_be_directory) {
  const std::filesystem::path folder = directory_of(target) / ".";  // not of a file
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return std::unexpected(system_error("create", target, os::last_error()));
  struct statx found = {};
  struct stat around = {};
  constexpr int flags = AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC;
  if (::statx(AT_FDCWD, target.c_str(), flags, STATX_BASIC_STATS, &found) != 0) {
    if (os::last_error() == std::errc::no_such_file_or_directory) return {};
    return std::unexpected(system_error("create", target, os::last_error()));
  }
  const auto refuse = [&](const char* what) { return fail_in(target, ErrorCode::io_failed, what); };
  if (S_ISDIR(found.stx_mode) && !may_be_directory)
    return refuse("the path names a directory, expected a file");
  if ((found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0)
    return refuse("another file or file system is mounted at this path, so it cannot be replaced");
  if ((found.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0)
    return refuse("the file cannot be replaced, because it has the attribute i or a (see lsattr)");
  if (::stat(folder.c_str(), &around) != 0 || (around.st_mode & S_ISVTX) == 0) return {};
  const uid_t user = ::geteuid();
  if (user != 0 && user != found.stx_uid && user != around.st_uid)
    return refuse(
        "the file belongs to another user, and only its owner can replace files in this folder");
  return {};
}

}  // namespace embd
