#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "embd/model.h"
#include "jobs/embed_output.h"
#include "jobs/journal.h"
#include "jobs/record_stream.h"

namespace embd {

/// The hash of all records up to the end of a block: each block's goes into the next one's.
class TextsHasher {
 public:
  void add(const RecordStream::Row& record);
  TextsHash end_block();

 private:
  Sha256 hash_;
};

/// Takes the rows as they come out of the model, gives them their ids, and passes them on: to the
/// journal if there is one, else to the outputs.
class EmbedSink final : public RowSink {
 public:
  struct Options {
    std::optional<std::uint64_t> id_start;  ///< number the texts from here
    bool refuse_truncated = false;
    bool window_rows = false;  ///< each window has a row, so its number is part of its id
    /// Called with the rows finished and, where the input's size is known, the share of it read.
    std::function<void(std::uint64_t rows, std::optional<double> share_read)> progress = {};
  };

  /// `journal`: may be null. What is referred to must outlive this.
  EmbedSink(RecordStream& records, EmbedOutput& output, Journal* journal, const Options& options)
      : options_(options), records_(records), output_(output), journal_(journal) {}

  /// Skips the records whose rows the journal has. Error: recipe_mismatch if they are not those it
  /// was made of.
  Result<void> resume();
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override;

 private:
  Result<void> begin_text(RecordStream::Row record);
  Result<void> check_id() const;
  /// An error that lies in the text whose rows are coming.
  std::unexpected<Error> at_text(Error error) const;
  Result<void> check_length(const RowReport& report) const;
  RecordId row_id(const RowReport& report) const;
  Result<void> pass_on(const RowBatch& batch);

  const Options options_;
  RecordStream& records_;
  EmbedOutput& output_;
  Journal* journal_;

  RecordStream::Row text_;  // whose rows are coming
  std::uint64_t num_texts_ = 0;
  std::uint64_t num_rows_ = 0;
  std::optional<std::size_t> id_kind_;
  std::uint64_t rows_to_drop_ = 0;  // the journal has them
  Journal::Source source_;
  TextsHasher hasher_;
};

}  // namespace embd
