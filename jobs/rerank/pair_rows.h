#pragma once

#include <string>

#include "embd/reranker.h"
#include "jobs/embed/row_maker.h"

namespace embd {

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

}  // namespace embd
