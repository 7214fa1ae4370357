#pragma once

#include <string>

#include "base/path_roles.h"
#include "jobs/analysis/analysis_input.h"

namespace embd {

/// Adds everything that a source reads. `role` names it in messages. Errors: those of
/// holds_texts().
Result<void> add_source_roles(const AnalysisSource& source, const std::string& role,
                              PathRoles& roles);

}  // namespace embd
