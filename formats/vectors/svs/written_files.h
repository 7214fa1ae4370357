#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "embd/error.h"

namespace embd::svs {

/// The extension of the file of the specification's layout that names all others.
inline constexpr std::string_view config_extension = ".config";

/// Returns true if embd writes a file with this name into an SVS directory. `name` is relative to
/// the directory.
bool is_written_file(const std::filesystem::path& name);

/// Checks that a directory has only files and folders that embd writes into an SVS directory, in
/// their places. Fails with io_failed and the name of the first other entry.
Result<void> check_replaceable(const std::filesystem::path& directory);

/// Returns the paths of all files that embd may write together with STEM.config, for vectors and
/// for an index.
std::vector<std::filesystem::path> specification_files(const std::filesystem::path& config);

}  // namespace embd::svs
