#pragma once

#include <cstdint>
#include <stop_token>

#include "embd/model.h"
#include "embd/texts.h"

namespace embd {

/// The texts of a RecordReader as the library takes them.
class RecordTexts : public TextSource {
 public:
  virtual RecordReader& reader() noexcept = 0;
  /// Where the record begins whose text next() gave last, from 1.
  virtual std::uint64_t line() const noexcept = 0;
};

/// Model::encode(), or Model::encode_ids() where the reader's texts are token ids. Errors: theirs;
/// bad_value, with file and line, for an id that the model does not have.
Result<Report> encode_records(const Model& model, RecordTexts& texts, RowSink& sink,
                              const EncodeOptions& options, std::stop_token stop);

}  // namespace embd
