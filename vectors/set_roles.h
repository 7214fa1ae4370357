#pragma once

#include <filesystem>
#include <string>

#include "base/path_roles.h"
#include "embd/vectors.h"
#include "formats/vectors/format.h"

namespace embd {

/// The vectors or index at `path`, and the files beside them.
void reads_vectors(PathRoles& roles, const std::string& role, const std::filesystem::path& path);

/// Adds the files that a set of vectors or an index in `format` replaces or removes at `path` and
/// beside it.
void writes_vectors(PathRoles& roles, const std::string& role, const std::filesystem::path& path,
                    const Format& format, const WriteOptions& options);

}  // namespace embd
