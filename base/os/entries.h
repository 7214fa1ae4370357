#pragma once

#include <filesystem>

#include "base/os/outcome.h"
#include "embd/error.h"

// Operations on names in folders. Each but remove_tree() is a single system call, which either
// happens completely or not at all. A symbolic link is a name like any other and is not followed.
namespace embd::os {

/// Renames `from` to `to`. A file that was at `to` is replaced.
Outcome<void> rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept;
/// Exchanges the files of two names.
Outcome<void> exchange(const std::filesystem::path& a, const std::filesystem::path& b) noexcept;
Outcome<void> remove_file(const std::filesystem::path& path) noexcept;
/// Removes an empty folder.
Outcome<void> remove_folder(const std::filesystem::path& path) noexcept;
/// Removes an entry and, if it is a folder, everything in it. After a failure, some of it may be
/// gone.
Outcome<void> remove_tree(const std::filesystem::path& path) noexcept;
/// Makes a folder with these permissions, reduced by the umask of the process.
Outcome<void> make_folder(const std::filesystem::path& path, unsigned permissions) noexcept;
/// Makes a folder that only this user can access. Its name is `prefix` and six letters that nobody
/// can guess.
Outcome<std::filesystem::path> make_private_folder(const std::filesystem::path& prefix);
/// Makes a symbolic link that contains the text `target`.
Outcome<void> make_link(const std::string& target, const std::filesystem::path& link) noexcept;

enum class Access { read, search };
/// Returns true if this process may read the file, or look into the folder, at `path`.
bool is_permitted(const std::filesystem::path& path, Access access) noexcept;

}  // namespace embd::os

namespace embd {

/// Checks that a rename could put a file (or a directory, if `may_be_directory` is true) in the
/// place of `target`, which need not exist. After that, a rename can fail only if somebody changes
/// the folder, or if the disk fails. Fails with not_found or io_failed.
Result<void> check_rename_to(const std::filesystem::path& target, bool may_be_directory = false);

}  // namespace embd
