#pragma once

#include <string>

#include "embd/embed_file.h"

namespace embd::cli {

/// The model of a job, and how it was run, for write_report().
struct ReportedModel {
  std::string_view name;
  std::string_view kernels;
  Compute compute;
  int threads;                            ///< 0: as many as affinity and the cgroup allow
  std::optional<std::uint32_t> dim = {};  ///< the number of values of a vector
};

/// Writes the file of `embed --report` and `rerank --report`: a JSON object with the numbers of
/// rows and tokens, the time and the model.
Result<void> write_report(const std::string& path, const EmbedReport& report,
                          const ReportedModel& model);

}  // namespace embd::cli
