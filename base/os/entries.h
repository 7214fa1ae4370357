#pragma once

#include <filesystem>

#include "base/os/outcome.h"
#include "embd/error.h"

// Names in folders: what they lead to is changed by one call of the system, which happens as a
// whole or not at all. A symbolic link is a name like any other; none is followed.
namespace embd::os {

/// Gives what `from` names the name `to`, in the place of the file that had it.
Outcome<void> rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept;
/// Exchanges what two names name.
Outcome<void> exchange(const std::filesystem::path& a, const std::filesystem::path& b) noexcept;
Outcome<void> remove_file(const std::filesystem::path& path) noexcept;
/// Removes an empty folder.
Outcome<void> remove_folder(const std::filesystem::path& path) noexcept;
/// `permissions`: less those that the process's umask takes away.
Outcome<void> make_folder(const std::filesystem::path& path, unsigned permissions) noexcept;
/// A new folder, only this user's, whose name is `prefix` and six letters that nobody can guess.
Outcome<std::filesystem::path> make_private_folder(const std::filesystem::path& prefix);
/// A symbolic link with the text `target`.
Outcome<void> make_link(const std::string& target, const std::filesystem::path& link) noexcept;

enum class Access { read, search };
/// Whether this process may read the file, or look into the folder, at `path`.
bool is_permitted(const std::filesystem::path& path, Access access) noexcept;

}  // namespace embd::os

namespace embd {

/// Asks the system whether a rename could put a file, or with `may_be_directory` a directory, in
/// the place of `target`, which need not be there. A rename that this allows fails only if somebody
/// changes the folder meanwhile, or the disk fails. Errors: not_found, io_failed.
Result<void> check_rename_to(const std::filesystem::path& target, bool may_be_directory = false);

}  // namespace embd
