#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "embd/model.h"
#include "embd/texts.h"

namespace embd {

/// The texts of a RecordReader as a source for a model.
class RecordTexts : public TextSource {
 public:
  virtual RecordReader& reader() noexcept = 0;
  /// Returns the record of the last text. Its text may have been moved out.
  virtual const Record& record() const noexcept = 0;
};

/// Keeps the places of the texts that a model is working on, so that an error about a text can name
/// the file and the line of its record. next() may run on another thread than the other functions.
class TextPlaces {
 public:
  explicit TextPlaces(RecordTexts& texts) : texts_(texts) {}

  /// Stores the next text, as TextSource::next() does, and keeps its place.
  Result<bool> next(std::string& text);
  /// Drops the places of texts whose rows have come.
  void take(std::span<const RowReport> reports);
  /// Adds the place of the text to an error of the model, whose line is the number of the text.
  /// Other errors stay as they are.
  Error at_place(Error error);

 private:
  struct Place {
    std::uint64_t line = 0;
    std::string_view file;  // one of files_
  };

  RecordTexts& texts_;
  std::mutex mutex_;
  std::deque<std::string> files_;  // all files so far, whose readers may be gone
  std::deque<Place> places_;       // of the last text that has come, and of all after it
  std::uint64_t num_come_ = 0;     // texts that have come, windows of the last one perhaps not all
};

/// Embeds texts with Model::encode(), or with Model::encode_ids() if they are token ids. Fails as
/// these do, and with bad_value for an id that the model does not have. An error about a text names
/// the file and the line of its record.
Result<Report> encode_records(const Model& model, RecordTexts& texts, RowSink& sink,
                              const EncodeOptions& options, std::stop_token stop);

}  // namespace embd
