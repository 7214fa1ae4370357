#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/paths.h"
#include "embd/convert.h"
#include "embd/digest.h"
#include "embd/parts.h"
#include "jobs/outputs/output_target.h"

namespace embd {

/// Facts about a job whose parts are converted into one set, and which the files of the parts do
/// not contain.
struct JobInParts {
  Digest digest = Digest();  ///< the digest of all rows, before they were stored
  std::string input_sha256;  ///< SHA-256 of the whole input
  /// True if the texts of the job have ids. The ids are then stored even if they are 0, 1, 2, …
  bool has_ids = false;
  /// The number of values of a stored row, for parts without rows, whose files may not say it.
  std::uint64_t dim = 0;
  RowKind kind = RowKind::vector;
};

/// A conversion: its inputs and its output.
struct ConvertPlan {
  std::vector<std::filesystem::path> inputs;
  OutputTarget output;
  ConvertOptions options = {};  ///< its member `output` is ignored
  /// Set if the inputs are all parts of a job, in order. The output is then what a single run would
  /// make.
  std::optional<JobInParts> job = {};
};

/// Fails with invalid_argument if the output is also a file that is read. `others` are the files
/// that the caller reads besides.
Result<void> check_roles(const ConvertPlan& plan, PathRoles others = {});

/// Carries out a conversion as convert_vectors() of embd/convert.h does, with a plan that was
/// checked.
Result<ConvertReport> convert_vectors(const ConvertPlan& plan, const std::stop_token& stop);

/// Joins parts as join_parts() of embd/parts.h does, into an output that is already resolved.
Result<JoinReport> join_parts(const std::vector<std::filesystem::path>& manifests,
                              const OutputTarget& output, const std::stop_token& stop);

/// The ids of the rows of an index.
enum class IndexIds : std::uint8_t { of_set, row_numbers };

/// Builds an index of the rows of a vector set, as index_file() of embd/convert.h does, into an
/// output that was checked.
Result<void> build_index(const std::filesystem::path& vectors, const ReadOptions& read,
                         IndexIds ids, const std::filesystem::path& output,
                         const IndexOptions& options, const std::stop_token& stop);

}  // namespace embd
