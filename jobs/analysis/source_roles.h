#pragma once

#include <string>

#include "base/path_roles.h"
#include "jobs/analysis/analysis_input.h"

namespace embd {

/// Adds every file that a source reads. `role` names the source in messages. Fails with the errors
/// of holds_texts().
Result<void> add_source_roles(const AnalysisSource& source, const std::string& role,
                              PathRoles& roles);

}  // namespace embd
