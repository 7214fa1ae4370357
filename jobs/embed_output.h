#pragma once

#include <optional>

#include "base/output_file.h"
#include "jobs/outputs.h"
#include "jobs/row_batch.h"
#include "jobs/row_fields.h"

namespace embd {

/// Where the rows of `embed` end: the outputs and, if asked for, a line a row about its tokens.
/// All of it appears at finish(), or nothing.
class EmbedOutput {
 public:
  /// `row_report`: empty for none.
  static Result<EmbedOutput> create(Outputs outputs, RowFields fields,
                                    const std::string& row_report);

  bool needs_ids() const noexcept { return outputs_.needs_ids(); }
  Result<void> append(const RowBatch& batch);
  Result<void> finish();

  std::uint64_t num_rows() const noexcept { return num_rows_; }
  std::uint64_t num_truncated() const noexcept { return num_truncated_; }
  const Outputs& outputs() const noexcept { return outputs_; }
  const RowFields& fields() const noexcept { return fields_; }

 private:
  EmbedOutput(Outputs outputs, RowFields fields)
      : outputs_(std::move(outputs)), fields_(std::move(fields)) {}
  std::string report_line(const RowBatch& batch, std::size_t i) const;

  Outputs outputs_;
  RowFields fields_;
  std::optional<OutputFile> row_report_;
  std::uint64_t num_rows_ = 0;
  std::uint64_t num_truncated_ = 0;
};

}  // namespace embd
