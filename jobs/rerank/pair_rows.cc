#include "jobs/rerank/pair_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/try.h"

namespace embd {
namespace {

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

}  // namespace

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

}  // namespace embd
