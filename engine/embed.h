#pragma once

#include <span>
#include <stop_token>

#include "embd/model.h"
#include "engine/encode_plan.h"
#include "engine/loaded_model.h"

namespace embd {

/// The texts, or tokens, of a call into the caller's memory: `rows` holds inputs × dim floats,
/// `reports` is empty or one an input. Errors: invalid_argument for memory of another size and for
/// windows with rows of their own; those of the run.
Result<Report> embed(const LoadedModel& model, const Inputs& inputs, std::span<float> rows,
                     std::span<RowReport> reports, const EncodePlan& plan,
                     const std::stop_token& stop);

/// From a source to a sink, in memory that does not grow with the number of texts.
Result<Report> embed(const LoadedModel& model, TextSource& source, RowSink& sink,
                     const EncodePlan& plan, const std::stop_token& stop);
Result<Report> embed(const LoadedModel& model, TokenIdSource& source, RowSink& sink,
                     const EncodePlan& plan, const std::stop_token& stop);

}  // namespace embd
