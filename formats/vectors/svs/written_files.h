#pragma once

#include <filesystem>

#include "embd/error.h"

namespace embd::svs {

/// Returns true if embd writes a file with this name into an SVS directory. `name` is relative to
/// the directory.
bool is_written_file(const std::filesystem::path& name);

/// Checks that a directory has only files and folders that embd writes into an SVS directory, in
/// their places. Fails with io_failed and the name of the first other entry.
Result<void> check_replaceable(const std::filesystem::path& directory);

}  // namespace embd::svs
