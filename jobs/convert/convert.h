#pragma once

#include "embd/convert.h"
#include "embd/digest.h"

namespace embd {

/// What is known of a job whose parts are converted into one set, beside what their files say.
struct JobInParts {
  Digest digest;             ///< of all rows, before they were stored
  std::string input_sha256;  ///< of the whole input
  bool has_ids = false;   ///< its texts have ids, which are stored even where they are 0, 1, 2, …
  std::uint64_t dim = 0;  ///< of the stored rows, for parts without rows that do not say
};

/// convert_vectors() of all parts of a job, in their order, to the set that one run would make.
Result<ConvertReport> convert_parts(const std::vector<std::filesystem::path>& inputs,
                                    const std::filesystem::path& output,
                                    const ConvertOptions& options, const JobInParts& job,
                                    const std::stop_token& stop);

}  // namespace embd
