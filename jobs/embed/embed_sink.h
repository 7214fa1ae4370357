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

/// Takes the rows as they come out of the model, gives them what belongs to them besides (id, line,
/// fields), and passes them on: to the journal if there is one, else to the outputs.
class EmbedSink final : public RowSink {
 public:
  struct Options {
    std::optional<std::uint64_t> id_start = {};  ///< number the texts from here
    bool refuse_truncated = false;
    bool window_rows = false;        ///< each window has a row, so its number is part of its id
    std::uint32_t max_length = 0;    ///< tokens of a text that go through the model
    std::string_view too_long = {};  ///< RowMaker::too_long()
    std::function<void(const EmbedProgress&)> progress = {};
  };

  /// `journal`: may be null. What is referred to must outlive this.
  EmbedSink(RecordStream& records, Outputs& outputs, Journal* journal, Options options)
      : options_(std::move(options)), records_(records), outputs_(outputs), journal_(journal) {}

  /// Skips the records whose rows the journal has. Error: recipe_mismatch if they are not those it
  /// was made of.
  Result<void> resume();
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override;
  /// Of this run and of those it went on from.
  std::uint64_t num_texts() const noexcept { return num_texts_; }

 private:
  Result<void> begin_text(RecordStream::Row record);
  Result<void> check_strings() const;
  bool has_id() const noexcept;
  /// An error that lies in the text whose rows are coming.
  std::unexpected<Error> at_text(Error error) const;
  Result<void> check_length(const RowReport& report) const;
  RecordId row_id(const RowReport& report) const;
  Result<void> pass_on(const RowBatch& batch);
  void report_progress();

  const Options options_;
  RecordStream& records_;
  Outputs& outputs_;
  Journal* journal_;

  RecordStream::Row text_;  // whose rows are coming
  std::uint64_t num_texts_ = 0;
  std::optional<std::size_t> id_kind_;
  std::uint64_t rows_to_drop_ = 0;  // the journal has them
  Journal::Source source_;
  TextsHasher hasher_;
  EmbedProgress progress_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace embd
