#pragma once

#include <stop_token>

#include "embd/embed_file.h"
#include "jobs/embed/embed_plan.h"

namespace embd {

/// Embeds the part EmbedOptions::part of a file, and writes the manifest of each output last.
Result<EmbedReport> embed_part(const Model& model, const EmbedPlan& plan, std::stop_token stop);

}  // namespace embd
