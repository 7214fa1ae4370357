#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "embd/embed_file.h"
#include "jobs/embed/embed_plan.h"
#include "jobs/embed/row_maker.h"

namespace embd {

/// A plan that is carried out. What is referred to must outlive this.
struct EmbedRun {
  const RowMaker& maker;
  RecordReader& reader;
  const EmbedPlan& plan;
  /// SHA-256 of the input, where that is known before it is read.
  std::string input_sha256;
  std::stop_token stop;
};

/// The rows that a run wrote, as the manifest of a part describes them.
struct WrittenRows {
  EmbedReport report;
  std::uint64_t num_texts = 0;
  RecordId first_id;
  RecordId last_id;
};

/// Makes the rows of all records and writes all outputs, or none. Errors: those of embed_file().
Result<WrittenRows> run_embedding(const EmbedRun& run);

}  // namespace embd
