#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "embd/model.h"
#include "jobs/record_texts.h"

namespace embd {

/// Gives the texts of a RecordReader to the model, and keeps everything else that belongs to a row
/// (id, line, fields, and the text if it is needed) until the row returns. next() may run on
/// another thread than take().
class RecordStream final : public RecordTexts {
 public:
  /// `reader` must outlive this object.
  RecordStream(RecordReader& reader, bool keep_texts) : reader_(reader), keep_texts_(keep_texts) {}

  Result<bool> next(std::string& text) override;
  RecordReader& reader() noexcept override { return reader_; }
  const Record& record() const noexcept override { return record_; }
  /// Returns the fields of the record whose text next() returned last.
  const std::string& fields() const noexcept { return record_.fields; }

  /// A record without its vector.
  struct Row {
    RecordId id;
    std::uint64_t line = 0;
    std::string_view file;       ///< as in Record::file
    std::string text;            ///< empty unless texts are kept
    std::string fields;          ///< as in Record::fields
    std::uint64_t end_byte = 0;  ///< the end of the record in the input, in bytes
    bool is_blank = false;       ///< true if the text is blank
  };
  /// Returns the next of the rows whose texts next() has returned.
  Row take();
  /// Reads a row without giving its text to the model. Returns false at the end. Allowed only
  /// before next() is called.
  Result<bool> skip(Row& row);
  /// Makes next() return this row, which must be the last one skipped.
  void put_back(Row row) { put_back_ = std::move(row); }
  /// Returns the share of the input up to the end of `row`; unset if the size of the input is not
  /// known.
  std::optional<double> share_at(const Row& row) const;
  /// Returns the name of the file of `row`, for messages.
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
  /// Returns the model whose tokens can be the terms of a term index; null if there is none.
  virtual const Model* model() const { return nullptr; }
  /// Makes the rows of all records, in order.
  virtual Result<Report> make_rows(RecordStream& records, RowSink& sink,
                                   const std::stop_token& stop) const = 0;
};

}  // namespace embd
