#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "embd/model.h"
#include "engine/input.h"
#include "engine/loaded_model.h"
#include "engine/run_plan.h"

namespace embd {

/// A stream of texts that the caller holds. All inputs must be texts and must outlive the stream.
class SpanSource final : public TextSource {
 public:
  explicit SpanSource(const Inputs& texts) : texts_(texts) {}

  Result<bool> next(std::string& text) override {
    if (next_ == texts_.size()) return false;
    text = std::get<std::string_view>(texts_[next_++]);
    return true;
  }

 private:
  const Inputs texts_;
  std::size_t next_ = 0;
};

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
