#pragma once

#include <stop_token>

#include "embd/embed_file.h"
#include "jobs/embed/embed_plan.h"
#include "jobs/embed/row_maker.h"

namespace embd {

/// Makes the rows of the part EmbedOptions::part of a file, and writes the manifest of each output
/// last.
Result<EmbedReport> embed_part(const RowMaker& maker, const EmbedPlan& plan, std::stop_token stop);

}  // namespace embd
