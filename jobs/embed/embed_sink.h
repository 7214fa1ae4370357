#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "embd/embed_file.h"
#include "embd/model.h"
#include "jobs/embed/journal.h"
#include "jobs/embed/record_stream.h"
#include "jobs/embed/texts_hash.h"
#include "jobs/outputs/outputs.h"

namespace embd {

/// Receives rows from the model, adds what belongs to them (ids, lines, fields), and passes them
/// on: to the journal if there is one, otherwise to the outputs.
class EmbedSink final : public RowSink {
 public:
  struct Options {
    std::optional<std::uint64_t> id_start = {};  ///< the id of the first text
    bool refuse_truncated = false;
    /// True if each window has a row, so that its number is part of its id.
    bool window_rows = false;
    std::uint32_t max_length = 0;    ///< the number of tokens that texts are cut to
    std::string_view too_long = {};  ///< the result of RowMaker::too_long()
    std::function<void(const EmbedProgress&)> progress = {};
  };

  /// `journal` may be null. Everything that is referred to must outlive the sink.
  EmbedSink(RecordStream& records, Outputs& outputs, Journal* journal, Options options)
      : options_(std::move(options)), records_(records), outputs_(outputs), journal_(journal) {}

  /// Skips the records whose rows are in the journal. Fails with recipe_mismatch if the journal was
  /// made of other records.
  Result<void> resume();
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override;
  /// Returns the number of texts of this run and of the runs that it continues.
  std::uint64_t num_texts() const noexcept { return num_texts_; }

 private:
  Result<void> begin_text(RecordStream::Row record);
  Result<void> check_strings() const;
  bool has_id() const noexcept;
  /// Adds to an error the file and the line of the text whose rows come next.
  std::unexpected<Error> at_text(Error error) const;
  Result<void> check_length(const RowReport& report) const;
  RecordId row_id(const RowReport& report) const;
  Result<void> pass_on(const RowBatch& batch);
  void report_progress();

  const Options options_;
  RecordStream& records_;
  Outputs& outputs_;
  Journal* journal_;

  RecordStream::Row text_;  // the text whose rows are being received
  std::uint64_t num_texts_ = 0;
  std::optional<std::size_t> id_kind_;
  std::uint64_t rows_to_drop_ = 0;  // rows that come again, but are in the journal already
  Journal::Source source_;
  TextsHasher hasher_;
  EmbedProgress progress_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace embd
