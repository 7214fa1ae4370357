#include "base/directories.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <utility>

#include "base/file_descriptor.h"
#include "base/system_error.h"
#include "base/temporary_entry.h"
#include "base/try.h"

namespace embd {

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

Result<void> sync_directory_of(const std::filesystem::path& path) {
  const FileDescriptor directory =
      EMBD_TRY(FileDescriptor::open(directory_of(path), O_RDONLY | O_DIRECTORY));
  // Some file systems cannot sync a directory; the rename itself has happened.
  ::fsync(directory.get());
  return {};
}

Result<void> check_rename_to(const std::filesystem::path& target, bool may_be_directory) {
  const std::filesystem::path folder = directory_of(target) / ".";  // not of a file
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return std::unexpected(system_error("create", target));
  struct statx found = {};
  struct stat around = {};
  constexpr int flags = AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC;
  if (::statx(AT_FDCWD, target.c_str(), flags, STATX_BASIC_STATS, &found) != 0) return {};
  const auto refuse = [&](const char* what) { return fail_in(target, ErrorCode::io_failed, what); };
  if (S_ISDIR(found.stx_mode) && !may_be_directory) return refuse("is a directory");
  if ((found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0)
    return refuse("is mounted there, and what is mounted cannot be replaced");
  if ((found.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0)
    return refuse("may not be replaced: it has the attribute i or a (lsattr)");
  if (::stat(folder.c_str(), &around) != 0 || (around.st_mode & S_ISVTX) == 0) return {};
  const uid_t user = ::geteuid();
  if (user != 0 && user != found.stx_uid && user != around.st_uid)
    return refuse("is another user's, in a folder where only he may replace it");
  return {};
}

Result<void> replace_directory(const std::filesystem::path& to, const std::filesystem::path& from) {
  std::error_code ignored;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    std::filesystem::remove_all(from, ignored);
    return {};
  }
  // Nothing is there, or the file system cannot exchange two names: what is there is moved aside.
  std::filesystem::path old;
  if (errno != ENOENT) {
    old = EMBD_TRY(create_temporary_directory(to)).path;
    if (::rename(to.c_str(), old.c_str()) != 0) {
      Error error = system_error("replace", to);
      ::rmdir(old.c_str());
      return std::unexpected(std::move(error));
    }
  }
  if (::rename(from.c_str(), to.c_str()) != 0) {
    Error error = system_error("rename", to);
    if (!old.empty()) ::rename(old.c_str(), to.c_str());
    return std::unexpected(std::move(error));
  }
  if (!old.empty()) std::filesystem::remove_all(old, ignored);
  return {};
}

void remove_if_possible(const std::filesystem::path& path) noexcept {
  try {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  } catch (const std::bad_alloc&) {
    // The next run removes what is left.
  }
}

}  // namespace embd
