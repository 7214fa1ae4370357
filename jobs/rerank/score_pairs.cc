#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/try.h"
#include "embd/rerank.h"
#include "embd/reranker.h"
#include "formats/text/open_records.h"
#include "jobs/embed/record_stream.h"
#include "jobs/rerank/score_plan.h"

namespace embd {
namespace {

/// Makes the rows of a job that scores pairs of texts. The first text of a pair is the first
/// further field of a record, the second is the text of the record. A row has the scores of all
/// labels, then their logits. The model must outlive the object.
class PairRows final : public RowMaker {
 public:
  /// `query_field` is the name of the field of first texts, which error messages mention.
  PairRows(const Reranker& model, const ScoreOptions& options, std::string query_field);

  Result<Recipe> recipe() const override;
  std::uint32_t dim() const override;
  std::uint32_t max_length() const override;
  std::string_view too_long() const override { return "a pair may have: allow truncation"; }
  Result<Report> make_rows(RecordStream& records, RowSink& sink,
                           const std::stop_token& stop) const override;

 private:
  const Reranker& model_;
  ScoreOptions options_;
  const std::string query_field_;
};

/// Gives the pairs of records to a reranker.
class RecordPairs final : public PairSource {
 public:
  RecordPairs(RecordStream& records, TextPlaces& places, const std::string& query_field)
      : records_(records), places_(places), query_field_(query_field) {}

  Result<bool> next(std::string& first, std::string& second) override {
    if (!EMBD_TRY(places_.next(second))) return false;
    ++num_pairs_;
    const auto fields = EMBD_TRY(parse_json(records_.fields()));
    if (!fields[0].is_string()) {
      return std::unexpected(
          Error(
              ErrorCode::bad_type,
              fmt::format("member {:?} is not a string, as is expected of the first text of a pair",
                          query_field_))
              .at_line(num_pairs_));
    }
    first = fields[0].get<std::string>();
    return true;
  }

 private:
  RecordStream& records_;
  TextPlaces& places_;
  const std::string& query_field_;
  std::uint64_t num_pairs_ = 0;
};

/// Passes the scores and logits of pairs on to a sink of rows.
class ScoreRows final : public ScoreSink {
 public:
  ScoreRows(RowSink& sink, TextPlaces& places) : sink_(sink), places_(places) {}

  Result<void> write(MatrixView logits, MatrixView scores,
                     std::span<const RowReport> reports) override {
    places_.take(reports);
    Matrix rows(scores.rows(), scores.cols() + logits.cols());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const auto behind_scores = std::ranges::copy(scores.row(i), rows.row(i).begin()).out;
      std::ranges::copy(logits.row(i), behind_scores);
    }
    return sink_.write(rows, reports);
  }

 private:
  RowSink& sink_;
  TextPlaces& places_;
};

PairRows::PairRows(const Reranker& model, const ScoreOptions& options, std::string query_field)
    : model_(model), options_(options), query_field_(std::move(query_field)) {
  options_.refuse_truncated = false;  // EmbedSink reports it with file and line.
}

Result<Recipe> PairRows::recipe() const {
  Recipe recipe = EMBD_TRY(model_.recipe(options_));
  recipe.truncate_dim = dim();
  return recipe;
}

std::uint32_t PairRows::dim() const {
  return static_cast<std::uint32_t>(2 * model_.labels().size());
}

std::uint32_t PairRows::max_length() const {
  return options_.max_length.value_or(model_.max_length());
}

Result<Report> PairRows::make_rows(RecordStream& records, RowSink& sink,
                                   const std::stop_token& stop) const {
  TextPlaces places(records);
  RecordPairs pairs(records, places, query_field_);
  ScoreRows scores(sink, places);
  auto report = model_.score(pairs, scores, options_, stop);
  if (!report) return std::unexpected(places.at_place(std::move(report).error()));
  return report;
}

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
  return fail_in(input, ErrorCode::invalid_argument,
                 "no query is given for the texts: the input is plain text, expected pairs in JSON "
                 "Lines, csv, tsv or Parquet, with the query in the field {:?}",
                 plan.options.query_field);
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

std::vector<std::string_view> texts_of(const std::vector<RowHit>& hits, const RowTexts& texts) {
  std::vector<std::string_view> found;
  found.reserve(hits.size());
  for (const RowHit& hit : hits) found.push_back(texts[hit.row]);
  return found;
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

Result<RankedRows> rank_hits(const Reranker& model, const HitTexts& found, std::size_t k,
                             const ScoreOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<RankedRows> {
    const auto& [queries, hits, texts] = found;
    if (queries.size() != hits.size()) {
      return fail(ErrorCode::invalid_argument,
                  "{} queries and {} lists of hits were given, expected one list for each query",
                  queries.size(), hits.size());
    }
    if (texts.empty() && std::ranges::any_of(hits, [](const auto& list) { return !list.empty(); }))
      return fail(ErrorCode::missing,
                  "the vector set has no texts, which the reranker needs to rank the rows");
    RankedRows ranked(hits.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const auto documents = texts_of(hits[i], texts);
      const auto ranking = EMBD_TRY(model.rank(queries[i], documents, k, options, stop));
      for (const auto& [index, score, logit, truncated] : ranking)
        ranked[i].push_back({hits[i][index].row, hits[i][index].distance, score, logit, truncated});
    }
    return ranked;
  });
}

}  // namespace embd
