#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "embd/embed_file.h"
#include "jobs/embed/embed_plan.h"
#include "jobs/embed/row_maker.h"

namespace embd {

/// A plan that is carried out. Everything that it refers to must outlive it.
struct EmbedRun {
  const RowMaker& maker;
  RecordReader& reader;
  const EmbedPlan& plan;
  /// The SHA-256 of the input, if it is known before the input is read; otherwise empty.
  std::string input_sha256;
  std::stop_token stop;
};

/// The rows that a run wrote, as needed for the manifest of a part.
struct WrittenRows {
  EmbedReport report;
  std::uint64_t num_texts = 0;
  RecordId first_id;
  RecordId last_id;
};

/// Makes the rows of all records and writes all outputs, or none. Fails as embed_file() does.
Result<WrittenRows> run_embedding(const EmbedRun& run);

}  // namespace embd
