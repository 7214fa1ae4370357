#pragma once

#include <filesystem>
#include <optional>

namespace embd {

/// Follows the symbolic links at `path` and returns where they end: a file, or a name where no file
/// is yet. The result is inside /proc if they lead to a file that a process has open.
std::filesystem::path follow_links(std::filesystem::path path);

/// Returns true if output to `path` must be written in place, because a rename cannot replace it: a
/// device, a pipe, or a file that the system opened for this process (/dev/stdout, /dev/fd/5),
/// wherever that leads.
bool is_written_in_place(const std::filesystem::path& path);

/// Returns the number of this process's open file that `path` names (/dev/stdout, /dev/fd/5,
/// /proc/self/fd/5); nullopt for every other path.
std::optional<int> open_file_number(const std::filesystem::path& path);

}  // namespace embd
