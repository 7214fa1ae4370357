#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "embd/model.h"
#include "text/record_reader.h"

namespace embd {

/// The texts of a RecordReader as the library takes them, while what belongs to each row besides
/// its text (id, line, and the text itself if it is to be the id) waits for the row to come out.
/// next() may run on another thread than take().
class RecordStream final : public TextSource {
 public:
  RecordStream(std::unique_ptr<RecordReader> reader, bool keep_texts)
      : reader_(std::move(reader)), keep_texts_(keep_texts) {}

  Result<bool> next(std::string& text) override;

  struct Row {
    RecordId id;
    std::uint64_t line = 0;
    std::string text;    ///< empty unless texts are kept
    std::string fields;  ///< as in Record
  };
  /// The next of the rows that next() has given out.
  Row take();
  /// Reads a row without giving it out; false at the end. Only before next().
  Result<bool> skip(Row& row);
  /// Has next() give this row, the last that was skipped, after all.
  void put_back(Row row) { put_back_ = std::move(row); }
  /// The share of the input that was read; nothing for a pipe.
  std::optional<double> share_read();

  RecordReader& reader() noexcept { return *reader_; }

 private:
  std::unique_ptr<RecordReader> reader_;
  bool keep_texts_;
  Record record_;
  std::mutex mutex_;
  std::deque<Row> rows_;
  std::uint64_t bytes_read_ = 0;
  std::optional<Row> put_back_;
};

}  // namespace embd
