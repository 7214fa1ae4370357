#pragma once

#include <span>
#include <stop_token>

#include "embd/model.h"
#include "engine/encode_plan.h"
#include "engine/loaded_model.h"

namespace embd {

/// Embeds texts or tokens into the caller's memory. `rows` must hold inputs × dim floats; `reports`
/// must be empty or hold one entry for each input. Fails with invalid_argument for memory of
/// another size and for windows with rows of their own, and with the errors of the run.
Result<Report> embed(const LoadedModel& model, const Inputs& inputs, std::span<float> rows,
                     std::span<RowReport> reports, const EncodePlan& plan,
                     const std::stop_token& stop);

/// Embed a stream into a sink. Memory does not grow with the number of texts.
Result<Report> embed(const LoadedModel& model, TextSource& source, RowSink& sink,
                     const EncodePlan& plan, const std::stop_token& stop);
Result<Report> embed(const LoadedModel& model, TokenIdSource& source, RowSink& sink,
                     const EncodePlan& plan, const std::stop_token& stop);

}  // namespace embd
