// Private to jobs/sets
#pragma once

#include <filesystem>
#include <string>

#include "embd/error.h"

namespace embd {

/// Returns 32 hex digits that identify the content of a file or an SVS directory. For a file over 1
/// MiB they cover its length and 64 blocks of 4 KiB, spread evenly from its first to its last byte,
/// so that a file of any size takes the same short time.
Result<std::string> fingerprint(const std::filesystem::path& path);

}  // namespace embd
