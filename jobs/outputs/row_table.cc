#include "jobs/outputs/row_table.h"

#include <cmath>

#include "base/bytes.h"
#include "base/json_text.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/vectors/parquet/file_writer.h"
#include "jobs/outputs/streams.h"

namespace embd {
namespace {

std::size_t num_rows(const std::vector<TableColumn>& columns) {
  return std::visit([](const auto& values) { return values.size(); }, columns.front().values);
}

void append_json(std::int64_t value, std::string& line) {
  line += std::to_string(value);
}
void append_json(float value, std::string& line) {
  append_json_float(value, line);
}
void append_json(const std::string& value, std::string& line) {
  append_json_string(value, line);
}

class JsonLinesTable final : public RowTable {
 public:
  explicit JsonLinesTable(OutputFile out) : out_(std::move(out)) {}

  Result<void> append(const std::vector<TableColumn>& columns) override {
    for (std::size_t row = 0; row < num_rows(columns); ++row) {
      line_.clear();
      for (const TableColumn& column : columns) {
        line_ += line_.empty() ? '{' : ',';
        append_json_string(column.name, line_);
        line_ += ':';
        std::visit([&](const auto& values) { append_json(values[row], line_); }, column.values);
      }
      line_ += "}\n";
      EMBD_TRY(out_.write(as_bytes(line_)));
    }
    return {};
  }
  Result<void> prepare() override { return out_.prepare(); }
  Result<void> finish() override { return out_.finish(); }

 private:
  OutputFile out_;
  std::string line_;
};

void append_cell(std::int64_t value, std::string& line) {
  line += std::to_string(value);
}
void append_cell(float value, std::string& line) {
  if (!std::isnan(value)) append_json_float(value, line);
}
void append_cell(const std::string& value, std::string& line) {
  if (value.find_first_of(",\"\r\n") == std::string::npos) {
    line += value;
    return;
  }
  line += '"';
  for (const char byte : value) {
    if (byte == '"') line += '"';
    line += byte;
  }
  line += '"';
}

class CsvTable final : public RowTable {
 public:
  static Result<std::unique_ptr<RowTable>> create(OutputFile out,
                                                  const std::vector<TableColumn>& columns) {
    auto table = std::make_unique<CsvTable>(std::move(out));
    for (const TableColumn& column : columns)
      table->add([&](std::string& line) { append_cell(column.name, line); });
    EMBD_TRY(table->end_line());
    return table;
  }
  explicit CsvTable(OutputFile out) : out_(std::move(out)) {}

  Result<void> append(const std::vector<TableColumn>& columns) override {
    for (std::size_t row = 0; row < num_rows(columns); ++row) {
      for (const TableColumn& column : columns) {
        std::visit(
            [&](const auto& values) {
              add([&](std::string& line) { append_cell(values[row], line); });
            },
            column.values);
      }
      EMBD_TRY(end_line());
    }
    return {};
  }
  Result<void> prepare() override { return out_.prepare(); }
  Result<void> finish() override { return out_.finish(); }

 private:
  template <class Append>
  void add(const Append& append) {
    if (!is_first_) line_ += ',';
    is_first_ = false;
    append(line_);
  }
  Result<void> end_line() {
    line_ += '\n';
    is_first_ = true;
    const auto written = out_.write(as_bytes(line_));
    line_.clear();
    return written;
  }

  OutputFile out_;
  std::string line_;
  bool is_first_ = true;
};

parquet::Column parquet_column(const TableColumn& column) {
  parquet::Column made = {.name = column.name, .type = ElementType::i64};
  if (std::holds_alternative<std::vector<float>>(column.values)) made.type = ElementType::f32;
  if (std::holds_alternative<std::vector<std::string>>(column.values))
    made.kind = parquet::ColumnKind::strings;
  return made;
}

template <class Number>
parquet::PlainValues plain_values(const std::vector<Number>& values) {
  const Bytes bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}
parquet::PlainValues plain_values(const std::vector<std::string>& values) {
  ByteWriter out;
  for (const std::string& value : values) {
    out.u32(static_cast<std::uint32_t>(value.size()));
    out.text(value);
  }
  return {out.view().begin(), out.view().end()};
}

class ParquetRowTable final : public RowTable {
 public:
  ParquetRowTable(parquet::FileWriter file, std::vector<parquet::Column> columns)
      : file_(std::move(file)), columns_(std::move(columns)) {}

  Result<void> append(const std::vector<TableColumn>& columns) override {
    std::vector<parquet::PlainValues> values;
    for (const TableColumn& column : columns)
      values.push_back(
          std::visit([](const auto& some) { return plain_values(some); }, column.values));
    return file_.write_group(columns_, values, num_rows(columns));
  }
  Result<void> prepare() override { return file_.prepare(columns_, {}); }
  Result<void> finish() override { return file_.finish(); }

 private:
  parquet::FileWriter file_;
  std::vector<parquet::Column> columns_;
};

}  // namespace

Result<std::unique_ptr<RowTable>> create_table(const std::filesystem::path& path,
                                               const std::vector<TableColumn>& columns) {
  OutputFile out = EMBD_TRY(open_stream(path));
  if (path.extension() == ".csv") return CsvTable::create(std::move(out), columns);
  if (path.extension() != ".parquet") return std::make_unique<JsonLinesTable>(std::move(out));
  std::vector<parquet::Column> made;
  for (const TableColumn& column : columns) made.push_back(parquet_column(column));
  return std::make_unique<ParquetRowTable>(EMBD_TRY(parquet::FileWriter::create(std::move(out))),
                                           std::move(made));
}

}  // namespace embd
