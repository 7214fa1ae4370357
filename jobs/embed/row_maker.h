#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>

#include "embd/model.h"
#include "jobs/embed/record_stream.h"

namespace embd {

/// The interface of a model for a job that makes rows of records: either a model that embeds texts,
/// or a cross-encoder that scores pairs.
class RowMaker {
 public:
  virtual ~RowMaker() = default;

  /// Returns the recipe of the rows; its truncate_dim is dim(). It computes the hash of the model.
  virtual Result<Recipe> recipe() const = 0;
  /// Returns the number of values of a row.
  virtual std::uint32_t dim() const = 0;
  /// Returns the number of tokens that a record is cut to.
  virtual std::uint32_t max_length() const = 0;
  /// Returns the end of a message about a record with too many tokens: what has the limit, and what
  /// can be done.
  virtual std::string_view too_long() const = 0;
  /// Makes the rows of all records, in order.
  virtual Result<Report> make_rows(RecordStream& records, RowSink& sink,
                                   const std::stop_token& stop) const = 0;
};

}  // namespace embd
