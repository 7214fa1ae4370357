#pragma once

#include <string>

#include "embd/reranker.h"
#include "jobs/embed/row_maker.h"

namespace embd {

/// Makes scores of pairs: the first text of a record's pair is the first of its further fields, the
/// second is its text. A row has the scores, then the logits. What is referred to must outlive
/// this.
class PairRows final : public RowMaker {
 public:
  /// `query_field`: the name of the field of first texts, for messages.
  PairRows(const Reranker& model, const ScoreOptions& options, std::string query_field);

  Result<Recipe> recipe() const override;
  std::uint32_t dim() const override;
  std::uint32_t max_length() const override;
  std::string_view too_long() const override { return "a pair may have: let it be cut"; }
  Result<Report> make_rows(RecordStream& records, RowSink& sink,
                           const std::stop_token& stop) const override;

 private:
  const Reranker& model_;
  ScoreOptions options_;
  const std::string query_field_;
};

}  // namespace embd
