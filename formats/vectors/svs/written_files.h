#pragma once

#include <filesystem>

#include "embd/error.h"

namespace embd::svs {

/// Whether this library writes a file of that name, relative to an SVS directory, into one.
bool is_written_file(const std::filesystem::path& name);

/// That a directory holds nothing but files that this library writes into an SVS directory, under
/// their names and where it puts them. The error names the first other entry: io_failed.
Result<void> check_replaceable(const std::filesystem::path& directory);

}  // namespace embd::svs
