#include "formats/text/parquet_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/byte_reader.h"
#include "base/checksum.h"
#include "base/try.h"
#include "formats/vectors/parquet/foreign_table.h"

namespace embd {
namespace {

using parquet::ForeignColumnReader;
using parquet::PageContent;
using parquet::PhysicalType;

/// The number of rows that are read from the pages at a time.
constexpr std::uint64_t batch_rows = 1024;

/// A column of the file. It holds the values of some rows at a time.
class Cells {
 public:
  Cells(std::string name, std::unique_ptr<ForeignColumnReader> column)
      : name_(std::move(name)), column_(std::move(column)) {}

  bool are_texts() const noexcept { return column_->value_bytes() == 0; }
  const std::string& name() const noexcept { return name_; }

  Result<void> load(std::uint64_t first_row, std::uint64_t count) {
    texts_.clear();
    numbers_.clear();
    return column_->read(first_row, count,
                         [&](const PageContent& page, std::uint64_t first, std::uint64_t part,
                             std::uint64_t) { take(page, first, part); });
  }

  /// Returns the text of the i-th row that is held. It may be moved out.
  std::string& text(std::size_t i) { return texts_[i]; }

  /// Returns the number of the i-th row that is held, as JSON; NaN and infinities become null.
  nlohmann::json number(std::size_t i) const {
    const std::size_t width = column_->value_bytes();
    const Bytes value = Bytes(numbers_).subspan(i * width, width);
    const bool is_unsigned = column_->column().is_unsigned;
    switch (column_->column().type) {
      case PhysicalType::int32:
        if (is_unsigned) return load_as<std::uint32_t>(value);
        return load_as<std::int32_t>(value);
      case PhysicalType::int64:
        if (is_unsigned) return load_as<std::uint64_t>(value);
        return load_as<std::int64_t>(value);
      case PhysicalType::float32:
        return load_as<float>(value);
      default:
        return load_as<double>(value);
    }
  }

 private:
  template <class T>
  static nlohmann::json load_as(Bytes value) {
    return embd::load<T>(value);
  }

  void take(const PageContent& page, std::uint64_t first, std::uint64_t count) {
    if (are_texts()) {
      const auto begin = page.strings.begin() + static_cast<std::ptrdiff_t>(first);
      texts_.insert(texts_.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
      return;
    }
    const std::size_t width = column_->value_bytes();
    const Bytes part = Bytes(page.numbers).subspan(first * width, count * width);
    numbers_.insert(numbers_.end(), part.begin(), part.end());
  }

  std::string name_;
  std::unique_ptr<ForeignColumnReader> column_;
  std::vector<std::string> texts_;
  std::vector<std::byte> numbers_;
};

class ParquetRecords final : public RecordReader {
 public:
  explicit ParquetRecords(parquet::ForeignTable table, const std::filesystem::path& path)
      : table_(std::move(table)), name_(path.native()) {}

  Result<void> open_columns(const InputOptions& options) {
    EMBD_TRY(add(options.text_field.empty() ? "text" : options.text_field));
    if (!columns_.front().are_texts()) return bad_type(columns_.front(), "texts");
    has_ids_ = !options.id_field.empty();
    if (has_ids_) EMBD_TRY(add(options.id_field));
    for (const std::string& field : options.fields) EMBD_TRY(add(field));
    for (const std::string& field : options.number_fields) EMBD_TRY(add(field));
    return {};
  }

  Result<bool> next(Record& record) override {
    if (row_ == table_.num_rows()) return false;
    if (row_ == batch_end_) EMBD_TRY(load_batch());
    const std::size_t at = row_ - batch_begin_;
    record.line = row_ + 1;
    std::swap(record.text, columns_.front().text(at));
    if (has_ids_) record.id = EMBD_TRY(id_of(columns_[1], at));
    record.fields.clear();
    for (std::size_t i = first_field(); i < columns_.size(); ++i) {
      record.fields += record.fields.empty() ? '[' : ',';
      record.fields += cell_as_json(columns_[i], at);
    }
    if (!record.fields.empty()) record.fields += ']';
    ++row_;
    return true;
  }

  Result<bool> skip() override {
    if (row_ == table_.num_rows()) return false;
    // A row that is passed over is not read: the next batch begins behind it.
    if (row_ == batch_end_) batch_begin_ = batch_end_ = row_ + 1;
    ++row_;
    return true;
  }

  const std::string& name() const noexcept override { return name_; }
  std::optional<std::uint64_t> file_bytes() const noexcept override {
    return table_.bytes().size();
  }

  std::uint64_t bytes_read() const noexcept override {
    const std::uint64_t rows = table_.num_rows();
    const std::uint64_t bytes = table_.bytes().size();
    if (row_ == rows) return bytes;
    const double share = static_cast<double>(row_) / static_cast<double>(rows);
    return static_cast<std::uint64_t>(share * static_cast<double>(bytes));
  }

  std::string sha256() noexcept override {
    if (row_ == 0 && table_.num_rows() > 0) return sha256_hex({});
    if (file_sha256_.empty()) file_sha256_ = sha256_hex(table_.bytes());
    if (row_ == table_.num_rows()) return file_sha256_;
    return sha256_hex(as_bytes(fmt::format("{}\n{}\n", file_sha256_, row_)));
  }

 private:
  Result<void> add(const std::string& field) {
    columns_.emplace_back(field, EMBD_TRY(table_.open_column(field)));
    return {};
  }

  std::size_t first_field() const noexcept { return has_ids_ ? 2 : 1; }

  Result<void> load_batch() {
    const std::uint64_t count = std::min(batch_rows, table_.num_rows() - row_);
    for (Cells& column : columns_) {
      EMBD_TRY(in_file(name_, column.load(row_, count)));
    }
    batch_begin_ = row_;
    batch_end_ = row_ + count;
    return {};
  }

  Result<RecordId> id_of(Cells& column, std::size_t at) const {
    if (column.are_texts()) return column.text(at);
    const nlohmann::json number = column.number(at);
    if (number.is_number_unsigned() || (number.is_number_integer() && number >= 0))
      return number.get<std::uint64_t>();
    return std::unexpected(
        Error(ErrorCode::bad_value,
              fmt::format("{}: the id is {}, expected a whole number from 0 or a text",
                          column.name(), number.dump()))
            .at_line(row_ + 1)
            .in_file(name_));
  }

  static std::string cell_as_json(Cells& column, std::size_t at) {
    return column.are_texts() ? nlohmann::json(column.text(at)).dump() : column.number(at).dump();
  }

  std::unexpected<Error> bad_type(const Cells& column, std::string_view expected) const {
    return fail_in(
        name_, ErrorCode::bad_type,
        fmt::format("column {:?} contains numbers, expected {}", column.name(), expected));
  }

  parquet::ForeignTable table_;
  std::string name_;
  std::vector<Cells> columns_;  // of texts, of ids if has_ids_, of further fields
  bool has_ids_ = false;
  std::uint64_t row_ = 0;  // that comes next
  std::uint64_t batch_begin_ = 0;
  std::uint64_t batch_end_ = 0;
  std::string file_sha256_;  // made when it is first asked for
};

}  // namespace

Result<std::unique_ptr<RecordReader>> open_parquet_records(const std::filesystem::path& path,
                                                           const InputOptions& options) {
  if (path == "-")
    return fail(ErrorCode::invalid_argument,
                "a Parquet file cannot be read from standard input, because its end must be read "
                "first: name the file");
  if (!options.encoding.empty() || options.invalid_text != InvalidText::refuse)
    return fail(
        ErrorCode::invalid_argument,
        "an encoding or a treatment of invalid UTF-8 was chosen, but the texts of a Parquet "
        "file are always in UTF-8: leave the choice out");
  parquet::ParquetFile file = EMBD_TRY(parquet::open_file(path));
  auto reader = std::make_unique<ParquetRecords>(
      EMBD_TRY(parquet::ForeignTable::open(std::move(file))), path);
  EMBD_TRY(reader->open_columns(options));
  return reader;
}

}  // namespace embd
