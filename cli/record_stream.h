#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "embd/model.h"
#include "embd/vectors.h"
#include "text/record_reader.h"

namespace embd::cli {

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
    std::string text;  ///< empty unless texts are kept
  };
  /// Of the next `count` rows, which next() has given out.
  std::vector<Row> take(std::size_t count);
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
};

/// The rows' ids, which are all of one kind; none if they have none.
Ids ids_of(const std::vector<RecordStream::Row>& rows);

}  // namespace embd::cli
