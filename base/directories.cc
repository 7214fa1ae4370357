#include "base/directories.h"

#include <fcntl.h>
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
