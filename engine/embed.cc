#include "engine/embed.h"

#include <algorithm>

#include "base/try.h"
#include "engine/text_windows.h"

namespace embd {
namespace {

/// Checks that `out` and `reports` have the size for `num_inputs` rows. Fails with
/// invalid_argument.
Result<void> check_room(std::size_t num_inputs, std::span<const float> out,
                        std::span<const RowReport> reports, std::size_t dim) {
  if (out.size() / dim != num_inputs || out.size() % dim != 0) {
    return fail(ErrorCode::invalid_argument,
                "the output has room for {} values, expected room for {} texts with {} values each",
                out.size(), num_inputs, dim);
  }
  if (!reports.empty() && reports.size() != num_inputs) {
    return fail(ErrorCode::invalid_argument,
                "the output has room for {} reports, expected one report for each of the {} texts",
                reports.size(), num_inputs);
  }
  return {};
}

/// Copies the rows of a stream into memory of the caller, which must have room for all of them.
class SpanSink final : public RowSink {
 public:
  SpanSink(std::span<float> rows, std::span<RowReport> reports) : rows_(rows), reports_(reports) {}

  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override {
    std::ranges::copy(rows.values(), rows_.begin());
    rows_ = rows_.subspan(rows.values().size());
    if (reports_.empty()) return {};
    std::ranges::copy(reports, reports_.begin());
    reports_ = reports_.subspan(reports.size());
    return {};
  }

 private:
  std::span<float> rows_;
  std::span<RowReport> reports_;
};

template <class Item, SourceOf<Item> Source>
Result<Report> embed_stream(const LoadedModel& model, Source& source, RowSink& sink,
                            const EncodePlan& plan, const std::stop_token& stop) {
  const PoolingHead head(plan.pooling);
  StreamFeed<Item, Source> feed(source, sink, model.feed_options(plan.run, head));
  return model.run(feed, plan.run, head, stop);
}

}  // namespace

Result<Report> embed(const LoadedModel& model, const Inputs& inputs, std::span<float> rows,
                     std::span<RowReport> reports, const EncodePlan& plan,
                     const std::stop_token& stop) {
  if (plan.windows == Windows::rows) {
    return fail(ErrorCode::invalid_argument,
                "each window is to have a row of its own, but this function returns one row for "
                "each text: use a function that passes rows to a sink");
  }
  EMBD_TRY(check_room(inputs.size(), rows, reports, plan.pooling.dim));
  if (plan.windows == Windows::mean) {
    SpanSource source(inputs);
    SpanSink sink(rows, reports);
    return embed(model, source, sink, plan, stop);
  }
  const PoolingHead head(plan.pooling);
  RunPlan run = plan.run;
  run.dedup = run.dedup && inputs.size() > 1;
  SpanFeed feed(inputs, rows, reports, model.feed_options(run, head));
  return model.run(feed, run, head, stop);
}

Result<Report> embed(const LoadedModel& model, TextSource& source, RowSink& sink,
                     const EncodePlan& plan, const std::stop_token& stop) {
  if (plan.windows == Windows::none)
    return embed_stream<std::string>(model, source, sink, plan, stop);
  const auto worker = model.lease_worker();
  WindowCutter cutter = EMBD_TRY(WindowCutter::create(worker->tokenizer(), plan));
  TextWindows windows(source, sink, cutter, plan);
  EncodePlan of_windows = plan;
  of_windows.run.text.strict_utf8 = false;
  Report report =
      EMBD_TRY(embed_stream<std::vector<std::int32_t>>(model, windows, windows, of_windows, stop));
  report.rows = windows.num_rows();
  return report;
}

Result<Report> embed(const LoadedModel& model, TokenIdSource& source, RowSink& sink,
                     const EncodePlan& plan, const std::stop_token& stop) {
  return embed_stream<std::vector<std::int32_t>>(model, source, sink, plan, stop);
}

}  // namespace embd
