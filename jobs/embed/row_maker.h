#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>

#include "embd/model.h"
#include "jobs/embed/record_stream.h"

namespace embd {

/// Makes rows of a job's records: a model that embeds their texts, or a cross-encoder that scores
/// pairs. A job asks for nothing else of either.
class RowMaker {
 public:
  virtual ~RowMaker() = default;

  /// The recipe of the rows, whose truncate_dim is dim(). It hashes the model.
  virtual Result<Recipe> recipe() const = 0;
  /// The number of values of a row.
  virtual std::uint32_t dim() const = 0;
  /// Tokens of a record that go through the model.
  virtual std::uint32_t max_length() const = 0;
  /// Says, of a record of more tokens, which may not be more and what can be done.
  virtual std::string_view too_long() const = 0;
  /// Makes the rows of all records, in their order.
  virtual Result<Report> make_rows(RecordStream& records, RowSink& sink,
                                   const std::stop_token& stop) const = 0;
};

}  // namespace embd
