#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/path_roles.h"
#include "embd/error.h"
#include "embd/output_options.h"
#include "formats/vectors/format.h"

namespace embd {

/// An output of a job, resolved once from what the caller gave. All later steps take its format
/// from here instead of asking for it by the output's name again.
struct OutputTarget {
  std::filesystem::path path;      ///< "-" is standard output
  const Format* format = nullptr;  ///< in the table of formats
  OutputOptions options = {};      ///< `format` is not looked at any more
  /// It is written as it stands, such as a pipe, and has nothing beside it.
  bool is_stream = false;

  /// The file or directory that the vectors are read back from.
  std::filesystem::path vectors() const;
  /// Adds what is replaced or removed at `path` and beside it. `role` names the output in messages.
  void add_roles(PathRoles& roles, const std::string& role) const;
};

/// Error: invalid_argument where neither the options nor the name tells a format that can be
/// written, or where the two tell different ones.
Result<OutputTarget> resolve_output(const std::filesystem::path& path,
                                    const OutputOptions& options);
Result<std::vector<OutputTarget>> resolve_outputs(const std::vector<std::filesystem::path>& paths,
                                                  const OutputOptions& options);

/// The name of `type` in recipes: "f32", "int8", …; empty for automatic.
std::string_view output_type_name(OutputType type) noexcept;

/// Returns true for codes of sentence-transformers.
constexpr bool are_codes(OutputType type) noexcept {
  return type == OutputType::int8 || type == OutputType::binary;
}

}  // namespace embd
