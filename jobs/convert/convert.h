#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/path_roles.h"
#include "embd/convert.h"
#include "embd/digest.h"
#include "jobs/outputs/output_target.h"

namespace embd {

/// Facts of a job whose parts are converted into one set, which their files do not say.
struct JobInParts {
  Digest digest = Digest();  ///< of all rows, before they were stored
  std::string input_sha256;  ///< of the whole input
  bool has_ids = false;   ///< its texts have ids, which are stored even where they are 0, 1, 2, …
  std::uint64_t dim = 0;  ///< of the stored rows, for parts without rows that do not say
  RowKind kind = RowKind::vector;
};

/// A conversion: its inputs and its output.
struct ConvertPlan {
  std::vector<std::filesystem::path> inputs;
  OutputTarget output;
  ConvertOptions options = {};  ///< `output` is not looked at
  /// Set where the inputs are all parts of a job, in their order: the output is then what one run
  /// would make.
  std::optional<JobInParts> job = {};
};

/// Checks that the output is none of the files that are read. `others`: what the caller reads
/// besides. Error: invalid_argument.
Result<void> check_roles(const ConvertPlan& plan, PathRoles others = {});

/// convert_vectors(), planned and checked.
Result<ConvertReport> convert_vectors(const ConvertPlan& plan, const std::stop_token& stop);

}  // namespace embd
