#pragma once

#include <filesystem>

#include "embd/error.h"

namespace embd {

/// Returns the directory that contains the file or directory `path`.
std::filesystem::path directory_of(const std::filesystem::path& path);

/// Syncs the directory that contains `path` to the disk, so that a file that was just renamed keeps
/// its name if the power fails.
Result<void> sync_directory_of(const std::filesystem::path& path);

/// Renames the directory `from` to `to`. A file or directory that was at `to` is removed.
Result<void> replace_directory(const std::filesystem::path& to, const std::filesystem::path& from);

/// Removes `path` and everything in it, as far as possible, without reporting errors: for
/// destructors.
void remove_if_possible(const std::filesystem::path& path) noexcept;

}  // namespace embd
