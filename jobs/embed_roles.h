#pragma once

#include <filesystem>
#include <vector>

#include "base/path_roles.h"
#include "embd/embed_file.h"

namespace embd {

/// What embed_file() with these reads and replaces. `input`: empty for texts of no file.
Result<void> add_embed_roles(PathRoles& roles, const std::filesystem::path& input,
                             const std::vector<std::filesystem::path>& outputs,
                             const EmbedOptions& options);

/// That nothing is replaced which has another of these roles, too.
Result<void> check_embed_roles(const std::filesystem::path& input,
                               const std::vector<std::filesystem::path>& outputs,
                               const EmbedOptions& options);

}  // namespace embd
