#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/path_roles.h"
#include "embd/embed_file.h"

namespace embd {

/// What messages call the paths that a caller names, such as the options of the program.
struct EmbedRoleNames {
  std::string output = "the output";
  std::string ranges = "the ranges";
  std::string row_report = "the row report";
};

/// What embed_file() with these reads and replaces. `input`: empty for texts of no file.
Result<void> add_embed_roles(PathRoles& roles, const std::filesystem::path& input,
                             const std::vector<std::filesystem::path>& outputs,
                             const EmbedOptions& options, const EmbedRoleNames& names = {});

/// That nothing is replaced which has another of these roles, too.
Result<void> check_embed_roles(const std::filesystem::path& input,
                               const std::vector<std::filesystem::path>& outputs,
                               const EmbedOptions& options);

}  // namespace embd
