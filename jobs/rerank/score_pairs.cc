#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/guard.h"
#include "base/try.h"
#include "embd/rerank.h"
#include "formats/text/open_records.h"
#include "jobs/rerank/pair_rows.h"
#include "jobs/rerank/score_plan.h"

namespace embd {
namespace {

/// Returns the options of the job that makes the rows.
EmbedOptions job_options(const ScorePairsOptions& options) {
  return {.encode = {.threads = options.score.threads},
          .output = options.output,
          .part = options.part,
          .id_start = options.id_start,
          .refuse_truncated = options.score.refuse_truncated,
          .row_report = options.row_report,
          .resume = options.resume,
          .restart = options.restart,
          .progress = options.progress};
}

Result<void> check_input(const InputOptions& texts) {
  if (texts.token_ids_field.empty()) return {};
  return fail(ErrorCode::invalid_argument,
              "the input is token ids, which cannot be scored, expected pairs of texts");
}

/// Checks that the file is no plain text, whose lines cannot contain pairs.
Result<void> check_has_fields(const ScorePlan& plan) {
  const std::filesystem::path& input = plan.job.inputs.front();
  if (plan.job.texts.format.value_or(input_format_of(input)) != InputFormat::txt) return {};
  return fail_in(
      input, ErrorCode::invalid_argument,
      fmt::format("no query is given for the texts: the input is plain text, expected pairs in "
                  "JSON Lines, csv, tsv or Parquet, with the query in the field {:?}",
                  plan.options.query_field));
}

/// Returns the job with the conditions that decide its scores and are not in the recipe.
EmbedPlan complete(const ScorePlan& plan, const Reranker& model) {
  EmbedPlan job = plan.job;
  const ScoreOptions& score = plan.options.score;
  const ScoreActivation activation = score.activation.value_or(model.activation());
  const auto as_json = [](const auto& text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  };
  job.conditions["activation"] = as_json(name_of(activation, score_activation_names));
  job.conditions["query_field"] = as_json(plan.options.query_field);
  return job;
}

}  // namespace

Result<ScorePlan> plan_scoring(const std::filesystem::path& input,
                               std::vector<OutputTarget> outputs, const InputOptions& texts,
                               const ScorePairsOptions& options, PathRoles others,
                               const EmbedRoleNames& names) {
  EMBD_TRY(check_input(texts));
  EmbedPlan job = EMBD_TRY(plan_embedding({.inputs = {input},
                                           .outputs = std::move(outputs),
                                           .texts = texts,
                                           .options = job_options(options),
                                           .kind = RowKind::scores},
                                          std::move(others), names));
  job.texts.fields = {options.query_field};
  return ScorePlan{std::move(job), options};
}

Result<EmbedReport> score_pairs_file(const Reranker& model, const ScorePlan& plan,
                                     std::stop_token stop) {
  EMBD_TRY(check_has_fields(plan));
  const PairRows maker(model, plan.options.score, plan.options.query_field);
  return make_file(maker, complete(plan, model), std::move(stop));
}

Result<EmbedReport> score_records(const Reranker& model, RecordReader& records,
                                  const ScorePlan& plan, std::stop_token stop) {
  const PairRows maker(model, plan.options.score, plan.options.query_field);
  return make_records(maker, records, complete(plan, model), std::move(stop));
}

Result<EmbedReport> score_pairs_file(const Reranker& model, const std::filesystem::path& input,
                                     const std::vector<std::filesystem::path>& outputs,
                                     const InputOptions& texts, const ScorePairsOptions& options,
                                     std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    auto targets = EMBD_TRY(resolve_outputs(outputs, options.output));
    const ScorePlan plan = EMBD_TRY(plan_scoring(input, std::move(targets), texts, options));
    return score_pairs_file(model, plan, std::move(stop));
  });
}

}  // namespace embd
