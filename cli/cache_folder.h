#pragma once

#include <filesystem>

namespace embd::cli {

/// Where the program may keep for this user what it could make again: $XDG_CACHE_HOME/embd, or
/// ~/.cache/embd. Empty where neither is known; need not be there.
std::filesystem::path cache_folder();

}  // namespace embd::cli
