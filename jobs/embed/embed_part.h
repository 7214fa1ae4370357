#pragma once

#include <stop_token>

#include "embd/embed_file.h"
#include "jobs/embed/embed_plan.h"
#include "jobs/embed/row_maker.h"

namespace embd {

/// Makes the rows of one part of the inputs, which EmbedOptions::part selects, and writes them to
/// all outputs. The manifest of each output is written last, so that a manifest proves that its
/// vectors are whole.
Result<EmbedReport> embed_part(const RowMaker& maker, const EmbedPlan& plan, std::stop_token stop);

}  // namespace embd
