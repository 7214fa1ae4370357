#pragma once

#include <filesystem>

#include "embd/error.h"

namespace embd {

/// The directory that `path` is an entry of.
std::filesystem::path directory_of(const std::filesystem::path& path);

/// Syncs the directory that `path` is an entry of, so that its names outlive a power cut.
Result<void> sync_directory_of(const std::filesystem::path& path);

/// Renames the directory `from` to `to`, and removes the file or directory that was there.
Result<void> replace_directory(const std::filesystem::path& to, const std::filesystem::path& from);

/// Asks the system whether a rename could put a file, or with `may_be_directory` a directory, in
/// the place of `target`, which need not be there. A rename that this allows fails only if somebody
/// changes the folder meanwhile, or the disk fails. Errors: not_found, io_failed.
Result<void> check_rename_to(const std::filesystem::path& target, bool may_be_directory = false);

/// Removes `path` and all that is in it, as far as that is possible: for destructors.
void remove_if_possible(const std::filesystem::path& path) noexcept;

}  // namespace embd
