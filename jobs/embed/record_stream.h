#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "jobs/record_texts.h"

namespace embd {

/// The texts of a RecordReader as the library takes them, while what belongs to each row besides
/// its text (id, line, and the text itself if it is to be the id) waits for the row to come out.
/// next() may run on another thread than take().
class RecordStream final : public RecordTexts {
 public:
  /// `reader` must outlive this.
  RecordStream(RecordReader& reader, bool keep_texts) : reader_(reader), keep_texts_(keep_texts) {}

  Result<bool> next(std::string& text) override;
  RecordReader& reader() noexcept override { return reader_; }
  std::uint64_t line() const noexcept override { return record_.line; }
  /// The fields of the record whose text next() gave last.
  const std::string& fields() const noexcept { return record_.fields; }

  struct Row {
    RecordId id;
    std::uint64_t line = 0;
    std::string_view file;       ///< as in Record
    std::string text;            ///< empty unless texts are kept
    std::string fields;          ///< as in Record
    std::uint64_t end_byte = 0;  ///< of the record, in the input
    bool is_blank = false;       ///< the text is
  };
  /// The next of the rows that next() has given out.
  Row take();
  /// Reads a row without giving it out; false at the end. Only before next().
  Result<bool> skip(Row& row);
  /// Has next() give this row, the last that was skipped, after all.
  void put_back(Row row) { put_back_ = std::move(row); }
  /// The share of the input up to the end of `row`; nothing where the size is not known.
  std::optional<double> share_at(const Row& row) const;
  /// Returns the name of the file of `row` in messages.
  std::string_view name_of(const Row& row) const noexcept {
    return row.file.empty() ? std::string_view(reader_.name()) : row.file;
  }

 private:
  RecordReader& reader_;
  bool keep_texts_;
  Record record_;
  std::mutex mutex_;
  std::deque<Row> rows_;
  std::optional<Row> put_back_;
};

}  // namespace embd
