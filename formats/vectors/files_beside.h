#pragma once

#include <filesystem>
#include <vector>

// The files beside a vector set OUT, which hold what its format has no room for: ids, recipe,
// ranges of codes. Only jobs/sets reads and writes them, because it also checks that they belong to
// the vectors. Others may know that there are such files.
namespace embd {

/// Returns the paths of all files that may be beside a vector set. They are written, replaced and
/// removed together with it.
std::vector<std::filesystem::path> files_beside(const std::filesystem::path& vectors);

/// Returns the path beside which the files of a vector set are: the target of `vectors` if that is
/// a symbolic link with files beside its target, otherwise `vectors`.
std::filesystem::path place_of_files(const std::filesystem::path& vectors);

/// Returns true if the rows of a vector set are int8 codes, with their ranges in a file beside it.
bool are_int8_codes(const std::filesystem::path& vectors);

}  // namespace embd
