#pragma once

#include <cstdint>
#include <stop_token>

#include "embd/model.h"
#include "embd/texts.h"

namespace embd {

/// The texts of a RecordReader as a source for a model.
class RecordTexts : public TextSource {
 public:
  virtual RecordReader& reader() noexcept = 0;
  /// Returns the line where the record of the last text begins, from 1.
  virtual std::uint64_t line() const noexcept = 0;
};

/// Embeds texts with Model::encode(), or with Model::encode_ids() if they are token ids. Fails as
/// these do, and with bad_value, naming file and line, for an id that the model does not have.
Result<Report> encode_records(const Model& model, RecordTexts& texts, RowSink& sink,
                              const EncodeOptions& options, std::stop_token stop);

}  // namespace embd
