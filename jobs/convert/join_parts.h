#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

#include "embd/parts.h"
#include "jobs/outputs/output_target.h"

namespace embd {

/// Joins parts as join_parts() of embd/parts.h does, into an output that is already resolved.
Result<JoinReport> join_parts(const std::vector<std::filesystem::path>& manifests,
                              const OutputTarget& output, const std::stop_token& stop);

}  // namespace embd
