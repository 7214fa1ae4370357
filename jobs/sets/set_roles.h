#pragma once

#include <filesystem>
#include <string>

#include "base/path_roles.h"
#include "embd/vectors.h"
#include "formats/vectors/format.h"

namespace embd {

/// Adds the vectors or the index at `path`, and the files beside it, as files that are read.
void reads_vectors(PathRoles& roles, const std::string& role, const std::filesystem::path& path);

/// Adds the files at and beside `path` that writing a vector set or an index in `format` replaces
/// or removes.
void writes_vectors(PathRoles& roles, const std::string& role, const std::filesystem::path& path,
                    const Format& format, const WriteOptions& options);

}  // namespace embd
