#pragma once

#include <filesystem>
#include <optional>

namespace embd {

/// Where the symbolic links at `path` end, which may be a name that is not there yet; inside /proc
/// if they lead to a file that a process has open.
std::filesystem::path follow_links(std::filesystem::path path);

/// True of what cannot be replaced by a rename and is written where it is: a device, a pipe, or a
/// file that the system opened for this process (/dev/stdout, /dev/fd/5), wherever that leads.
bool is_written_in_place(const std::filesystem::path& path);

/// The number of this process's open file that `path` names (/dev/stdout, /dev/fd/5,
/// /proc/self/fd/5); nullopt for every other path.
std::optional<int> open_file_number(const std::filesystem::path& path);

}  // namespace embd
