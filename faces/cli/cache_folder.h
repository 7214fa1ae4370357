#pragma once

#include <filesystem>

namespace embd::cli {

/// Returns the folder for files of this user that the program can make again: $XDG_CACHE_HOME/embd
/// or ~/.cache/embd. The folder may not exist yet. Returns an empty path if neither XDG_CACHE_HOME
/// nor HOME is set to an absolute path.
std::filesystem::path cache_folder();

}  // namespace embd::cli
