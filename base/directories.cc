#include "base/directories.h"

#include <new>
#include <utility>

#include "base/os/entries.h"
#include "base/os/file_descriptor.h"
#include "base/system_error.h"
#include "base/temporary_entry.h"
#include "base/try.h"

namespace embd {

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

Result<void> sync_directory_of(const std::filesystem::path& path) {
  const FileDescriptor directory =
      EMBD_TRY(FileDescriptor::open(directory_of(path), Opening::read_folder));
  // Some file systems cannot sync a directory; the rename itself has happened.
  (void)directory.sync();
  return {};
}

Result<void> replace_directory(const std::filesystem::path& to, const std::filesystem::path& from) {
  std::error_code ignored;
  const auto exchanged = os::exchange(from, to);
  if (exchanged) {
    std::filesystem::remove_all(from, ignored);
    return {};
  }
  // Nothing is there, or the file system cannot exchange two names: what is there is moved aside.
  std::filesystem::path old;
  if (exchanged.error() != std::errc::no_such_file_or_directory) {
    old = EMBD_TRY(create_temporary_directory(to)).path;
    if (const auto moved = os::rename(to, old); !moved) {
      (void)os::remove_folder(old);
      return std::unexpected(system_error("replace", to, moved.error()));
    }
  }
  if (const auto moved = os::rename(from, to); !moved) {
    if (!old.empty()) (void)os::rename(old, to);
    return std::unexpected(system_error("rename", to, moved.error()));
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
