#include "formats/text/record_formats.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/elements.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/vectors/parquet/parquet_file.h"

namespace embd {
namespace {

using parquet::ColumnReader;

/// A column of the file. It holds the page of one row at a time.
class Cells {
 public:
  explicit Cells(std::unique_ptr<ColumnReader> column) : column_(std::move(column)) {}

  bool are_texts() const noexcept { return column_->leaf().has_strings(); }
  const std::string& name() const noexcept { return column_->leaf().column; }

  /// Goes to a row, which must exist.
  Result<void> go_to(std::uint64_t row) {
    if (row < page_.first || row - page_.first >= page_.count)
      page_ = EMBD_TRY(column_->page_with(row));
    at_ = row - page_.first;
    return {};
  }

  /// Returns the text of the row, which is valid until the next go_to().
  std::string_view text() const { return page_.content->strings.views[at_]; }

  /// Returns the number of the row as JSON; NaN and infinities become null.
  nlohmann::json number() const {
    const std::size_t width = column_->value_bytes();
    const Bytes value = page_.content->numbers.subspan(at_ * width, width);
    const bool is_unsigned = column_->leaf().kind == parquet::ValueKind::unsigned_number;
    switch (column_->leaf().type) {
      case parquet::PhysicalType::int32:
        if (is_unsigned) return load<std::uint32_t>(value);
        return load<std::int32_t>(value);
      case parquet::PhysicalType::int64:
        if (is_unsigned) return load<std::uint64_t>(value);
        return load<std::int64_t>(value);
      case parquet::PhysicalType::float32:
        return load<float>(value);
      case parquet::PhysicalType::float64:
        return load<double>(value);
      default: {
        float half = 0;
        floats_from_elements(ElementType::f16, value, std::span(&half, 1));
        return half;
      }
    }
  }

 private:
  std::unique_ptr<ColumnReader> column_;
  ColumnReader::PageValues page_;
  std::uint64_t at_ = 0;  // of the row in its page
};

class ParquetRecords final : public RecordReader {
 public:
  explicit ParquetRecords(parquet::ParquetFile file)
      : file_(std::move(file)), name_(text_of_path(file_.path())) {}

  Result<void> open_columns(const InputOptions& options) {
    EMBD_TRY(add(options.text_field.empty() ? "text" : options.text_field));
    if (!columns_.front().are_texts()) return bad_type(columns_.front(), "texts");
    has_ids_ = !options.id_field.empty();
    if (has_ids_) columns_.emplace_back(EMBD_TRY(file_.open_ids(options.id_field)));
    for (const std::string& field : options.fields) EMBD_TRY(add(field));
    for (const std::string& field : options.number_fields) EMBD_TRY(add(field));
    return {};
  }

  Result<bool> next(Record& record) override {
    if (row_ == num_rows()) return false;
    for (Cells& column : columns_) EMBD_TRY(in_file(path_of_text(name_), column.go_to(row_)));
    record.line = row_ + 1;
    record.text = columns_.front().text();
    if (has_ids_) record.id = EMBD_TRY(id_of(columns_[1]));
    record.fields.clear();
    for (std::size_t i = first_field(); i < columns_.size(); ++i) {
      record.fields += record.fields.empty() ? '[' : ',';
      record.fields += cell_as_json(columns_[i]);
    }
    if (!record.fields.empty()) record.fields += ']';
    ++row_;
    return true;
  }

  Result<bool> skip() override {
    if (row_ == num_rows()) return false;
    ++row_;
    return true;
  }

  const std::string& name() const noexcept override { return name_; }
  std::optional<std::uint64_t> file_bytes() const noexcept override { return file_.bytes().size(); }

  std::uint64_t bytes_read() const noexcept override {
    const std::uint64_t rows = num_rows();
    const std::uint64_t bytes = file_.bytes().size();
    if (row_ == rows) return bytes;
    const double share = static_cast<double>(row_) / static_cast<double>(rows);
    return static_cast<std::uint64_t>(share * static_cast<double>(bytes));
  }

  std::string sha256() noexcept override {
    if (row_ == 0 && num_rows() > 0) return sha256_hex({});
    if (file_sha256_.empty()) file_sha256_ = sha256_hex(file_.bytes());
    if (row_ == num_rows()) return file_sha256_;
    return sha256_hex(as_bytes(fmt::format("{}\n{}\n", file_sha256_, row_)));
  }

 private:
  std::uint64_t num_rows() const noexcept { return file_.metadata().num_rows; }
  std::size_t first_field() const noexcept { return has_ids_ ? 2 : 1; }

  Result<void> add(const std::string& field) {
    columns_.emplace_back(EMBD_TRY(file_.open_column(field)));
    return {};
  }

  Result<RecordId> id_of(const Cells& column) const {
    if (column.are_texts()) return std::string(column.text());
    const nlohmann::json number = column.number();
    if (number.is_number_unsigned() || number >= 0) return number.get<std::uint64_t>();
    return std::unexpected(
        Error(ErrorCode::bad_value,
              fmt::format("{}: the id is {}, expected a whole number from 0 or a text",
                          column.name(), number.dump()))
            .at_line(row_ + 1)
            .in_file(name_));
  }

  static std::string cell_as_json(const Cells& column) {
    return column.are_texts() ? nlohmann::json(column.text()).dump() : column.number().dump();
  }

  std::unexpected<Error> bad_type(const Cells& column, std::string_view expected) const {
    return fail_in(path_of_text(name_), ErrorCode::bad_type,
                   "column {:?} contains numbers, expected {}", column.name(), expected);
  }

  parquet::ParquetFile file_;
  std::string name_;
  std::vector<Cells> columns_;  // of texts, of ids if has_ids_, of further fields
  bool has_ids_ = false;
  std::uint64_t row_ = 0;    // that comes next
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
  auto reader = std::make_unique<ParquetRecords>(EMBD_TRY(parquet::ParquetFile::open(path)));
  EMBD_TRY(reader->open_columns(options));
  return reader;
}

}  // namespace embd
