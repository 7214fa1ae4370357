#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "embd/error.h"
#include "embd/output_options.h"
#include "embd/vectors.h"
#include "formats/vectors/format.h"

namespace embd {

/// An output of a job, resolved once from what the caller gave. All later steps take its format
/// from here instead of deriving it from the name again.
struct OutputTarget {
  std::filesystem::path path;      ///< "-" is standard output
  const Format* format = nullptr;  ///< in the table of formats
  OutputOptions options = {};      ///< its member `format` is ignored from here on
  /// True if the output is written in place, such as a pipe, and has no files beside it.
  bool is_stream = false;

  /// Returns the file or directory that the vectors can be read from.
  std::filesystem::path vectors() const;
  /// Adds all files that writing this output replaces or removes to `roles`. `role` names the
  /// output in messages.
  void add_roles(PathRoles& roles, const std::string& role) const;
};

/// Resolves an output. Fails with invalid_argument if neither the options nor the name stand for a
/// format that can be written, or if they stand for different formats.
Result<OutputTarget> resolve_output(const std::filesystem::path& path,
                                    const OutputOptions& options);
/// Calls resolve_output() for each of `paths`.
Result<std::vector<OutputTarget>> resolve_outputs(const std::vector<std::filesystem::path>& paths,
                                                  const OutputOptions& options);

/// Returns the name of `type` in recipes, such as "f32" or "int8"; empty for automatic.
std::string_view output_type_name(OutputType type) noexcept;

/// Returns true for the types whose values are codes, as sentence-transformers makes them.
constexpr bool are_codes(OutputType type) noexcept {
  return type == OutputType::int8 || type == OutputType::binary;
}

/// Returns true if files of the format store the rows of an output of this type as bits that the
/// format packs itself. To such a format the bytes of binary codes would be numbers.
constexpr bool packs_bits(const Format& format, OutputType type) noexcept {
  return type == OutputType::binary && format.codes == CodeStorage::own;
}

/// Adds the vectors or the index at `path`, and the files beside it, as files that are read.
void reads_vectors(PathRoles& roles, const std::string& role, const std::filesystem::path& path);

/// Adds the files at and beside `path` that writing a vector set or an index in `format` replaces
/// or removes.
void writes_vectors(PathRoles& roles, const std::string& role, const std::filesystem::path& path,
                    const Format& format, const WriteOptions& options);

}  // namespace embd
