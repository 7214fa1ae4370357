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

/// Removes `path` and all that is in it, as far as that is possible: for destructors.
void remove_if_possible(const std::filesystem::path& path) noexcept;

}  // namespace embd
