#pragma once

#include <string>

#include "embd/embed_file.h"

namespace embd::cli {

/// The model of a job and how it ran.
struct ReportedModel {
  std::string_view name;
  std::string_view kernels;
  Compute compute;
  int threads;                            ///< 0: those that affinity and the cgroup allow
  std::optional<std::uint32_t> dim = {};  ///< of a vector
};

/// Writes what `embed --report` and `rerank --report` give, a JSON object.
Result<void> write_report(const std::string& path, const EmbedReport& report,
                          const ReportedModel& model);

}  // namespace embd::cli
