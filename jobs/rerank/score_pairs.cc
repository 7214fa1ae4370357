#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/guard.h"
#include "base/json_text.h"
#include "base/path_roles.h"
#include "base/try.h"
#include "embd/rerank.h"
#include "jobs/embed/record_stream.h"
#include "jobs/outputs/streams.h"
#include "jobs/row_ids.h"

namespace embd {
namespace {

/// The pairs of records: the first text from a field, the second is the record's text.
class RecordPairs final : public PairSource {
 public:
  explicit RecordPairs(RecordStream& records, const std::string& query_field)
      : records_(records), query_field_(query_field) {}

  Result<bool> next(std::string& first, std::string& second) override {
    if (!EMBD_TRY(records_.next(second))) return false;
    const auto fields = nlohmann::json::parse(records_.fields());
    if (!fields[0].is_string()) {
      return std::unexpected(
          Error(ErrorCode::bad_type, fmt::format("{}: expected a string", query_field_))
              .at_line(records_.line())
              .in_file(records_.reader().name()));
    }
    first = fields[0].get<std::string>();
    return true;
  }

 private:
  RecordStream& records_;
  const std::string& query_field_;
};

/// Writes the scores of each pair with its id.
class ScoreLines final : public ScoreSink {
 public:
  ScoreLines(RecordStream& records, OutputFile& file, const ScorePairsOptions& options,
             std::uint32_t max_length)
      : records_(records), file_(file), options_(options), max_length_(max_length) {}

  Result<void> write(MatrixView logits, MatrixView scores,
                     std::span<const RowReport> reports) override {
    for (std::size_t i = 0; i < reports.size(); ++i) {
      row_ = records_.take();
      EMBD_TRY(check_length(reports[i]));
      EMBD_TRY(append_line(scores.row(i), logits.row(i)));
      ++progress_.rows;
      progress_.tokens += std::min(reports[i].tokens, max_length_);
    }
    report_progress();
    return {};
  }

 private:
  Result<void> check_length(const RowReport& report) const {
    if (!report.truncated || !options_.score.refuse_truncated) return {};
    return at_pair(
        Error(ErrorCode::bad_value, fmt::format("{} tokens, more than the {} that a pair may have",
                                                report.tokens, max_length_)));
  }

  std::unexpected<Error> at_pair(Error error) const {
    return std::unexpected(std::move(error).at_line(row_.line).in_file(records_.reader().name()));
  }

  /// {"id":7,"score":0.9,"logit":2.5}, or "scores" and "logits" with a list each.
  Result<void> append_line(std::span<const float> scores, std::span<const float> logits) {
    line_ = "{\"id\":";
    const bool has_id = !std::holds_alternative<std::monostate>(row_.id);
    auto appended = append_json_id(ids_of({has_id ? row_.id : RecordId(progress_.rows)}), 0, line_);
    if (!appended) return at_pair(std::move(appended).error());
    append_values("score", scores);
    append_values("logit", logits);
    line_ += "}\n";
    return file_.write(as_bytes(line_));
  }

  void append_values(std::string_view name, std::span<const float> values) {
    if (values.size() == 1) {
      line_ += fmt::format(",\"{}\":", name);
      append_json_float(values[0], line_);
      return;
    }
    line_ += fmt::format(",\"{}s\":", name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      line_ += i == 0 ? '[' : ',';
      append_json_float(values[i], line_);
    }
    line_ += ']';
  }

  void report_progress() {
    if (!options_.progress) return;
    progress_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    progress_.share = records_.share_at(row_);
    options_.progress(progress_);
  }

  RecordStream& records_;
  OutputFile& file_;
  const ScorePairsOptions& options_;
  const std::uint32_t max_length_;
  RecordStream::Row row_;
  std::string line_;
  EmbedProgress progress_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Result<void> check_output(const std::filesystem::path& output) {
  if (is_stream(output) || output.extension() == ".jsonl") return {};
  return fail_in(output, ErrorCode::invalid_argument,
                 "scores are written as JSON Lines, expected a name that ends in .jsonl");
}

Result<Report> score_pairs(const Reranker& model, const std::filesystem::path& input,
                           const std::filesystem::path& output, const InputOptions& texts,
                           const ScorePairsOptions& options, std::stop_token stop) {
  PathRoles roles;
  roles.reads("the pairs", input);
  roles.writes("the output", output);
  EMBD_TRY(roles.check());
  EMBD_TRY(check_output(output));
  InputOptions with_query = texts;
  with_query.fields.insert(with_query.fields.begin(), options.query_field);
  const auto reader = EMBD_TRY(open_records(input, with_query));
  RecordStream records(*reader, /*keep_texts=*/false);
  RecordPairs pairs(records, options.query_field);
  OutputFile file = EMBD_TRY(open_stream(output));
  ScoreLines lines(records, file, options, options.score.max_length.value_or(model.max_length()));
  ScoreOptions score = options.score;
  score.refuse_truncated = false;  // The lines say it with the place in the file.
  const Report report = EMBD_TRY(model.score(pairs, lines, score, std::move(stop)));
  EMBD_TRY(file.finish());
  return report;
}

}  // namespace

Result<Report> score_pairs_file(const Reranker& model, const std::filesystem::path& input,
                                const std::filesystem::path& output, const InputOptions& texts,
                                const ScorePairsOptions& options, std::stop_token stop) {
  return guarded(
      [&] { return score_pairs(model, input, output, texts, options, std::move(stop)); });
}

}  // namespace embd
