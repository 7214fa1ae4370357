#pragma once

#include <filesystem>
#include <optional>

// Names under which the system lists files that are open, such as those in /proc/PID/fd. A link
// there leads to an open file, not to the name that its text is. All functions are thread-safe.
namespace embd::os {

/// Returns true if the system makes the entries of `folder` up. `folder` is absolute and has no
/// links.
bool lists_open_files(const std::filesystem::path& folder);
/// Returns the number of this process's open file that is listed as `name` in `folder`, which is
/// absolute and has no links; nullopt if no open file of this process can have that name.
std::optional<int> open_file_number(const std::filesystem::path& folder,
                                    const std::filesystem::path& name);

/// Return true if `path` is spelled as a name of this process's standard output (/dev/stdout), or
/// of any of its open files (/dev/fd/5). Nothing is looked up.
bool is_name_of_standard_output(const std::filesystem::path& path);
bool is_name_of_open_file(const std::filesystem::path& path);

}  // namespace embd::os
