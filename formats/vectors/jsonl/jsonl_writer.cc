#include "formats/vectors/jsonl/jsonl_writer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/json_text.h"
#include "base/try.h"
#include "formats/vectors/column_checks.h"
#include "formats/vectors/ids.h"
#include "formats/vectors/json_id.h"

namespace embd::jsonl {
namespace {

class JsonlWriter final : public VectorWriter, private TableSink {
 public:
  JsonlWriter(OutputFile file, std::uint64_t dim, const WriteOptions& options)
      : VectorWriter(dim),
        file_(std::move(file)),
        kind_(options.kind),
        columns_(options.columns),
        text_columns_(options.text_columns) {}

  TableSink* table() noexcept override { return this; }

 private:
  Result<void> set_columns(std::span<const Bytes> columns) override {
    next_columns_.assign(columns.begin(), columns.end());
    return {};
  }
  Result<void> set_text_columns(std::span<const std::span<const std::string>> columns) override {
    next_text_columns_.assign(columns.begin(), columns.end());
    return {};
  }

  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    EMBD_TRY(check_columns(columns_, next_columns_, rows.rows()));
    EMBD_TRY(check_text_columns(text_columns_, next_text_columns_, rows.rows()));
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::uint64_t row = num_rows() + i;
      line_ = "{\"id\":";
      EMBD_TRY(append_id(ids, i, row));
      append_columns(i);
      EMBD_TRY(append_members(rows.row(i), row));
      line_ += "}\n";
      EMBD_TRY(file_.write(as_bytes(line_)));
    }
    next_columns_.clear();
    next_text_columns_.clear();
    return {};
  }
  Result<void> finish_file() override { return file_.finish(); }

  Result<void> append_id(const Ids& ids, std::size_t i, std::uint64_t row) {
    if (count_ids(ids)) return append_json_id(ids, i, line_);
    line_ += fmt::to_string(row);
    return {};
  }

  /// Appends the members for the columns of row `i`, counted within the rows that were given last.
  void append_columns(std::size_t i) {
    for (std::size_t c = 0; c < text_columns_.size(); ++c) {
      append_name(text_columns_[c]);
      append_json_string(next_text_columns_[c][i], line_);
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::size_t width = element_bits(columns_[c].type) / 8;
      append_name(columns_[c].name);
      append_json_number(columns_[c].type, next_columns_[c].subspan(i * width, width), line_);
    }
  }

  void append_name(const std::string& name) {
    line_ += ',';
    append_json_string(name, line_);
    line_ += ':';
  }

  Result<void> append_members(std::span<const float> values, std::uint64_t row) {
    if (kind_ == RowKind::vector) return append_array("embedding", values, row);
    const auto scores = values.first(values.size() / 2);
    const auto logits = values.subspan(scores.size());
    if (scores.size() > 1) {
      EMBD_TRY(append_array("scores", scores, row));
      return append_array("logits", logits, row);
    }
    line_ += ",\"score\":";
    EMBD_TRY(append_values(scores, row));
    line_ += ",\"logit\":";
    return append_values(logits, row);
  }

  Result<void> append_array(std::string_view name, std::span<const float> values,
                            std::uint64_t row) {
    line_ += fmt::format(",\"{}\":[", name);
    EMBD_TRY(append_values(values, row));
    line_ += ']';
    return {};
  }

  Result<void> append_values(std::span<const float> values, std::uint64_t row) {
    std::array<char, 32> digits;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) {
        return fail(
            ErrorCode::bad_value,
            fmt::format(
                "row {}: value {} is {}, which cannot be written in JSON, expected a finite number",
                row, i, values[i]));
      }
      if (i != 0) line_ += ',';
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), values[i]).ptr;
      line_.append(digits.data(), end);
    }
    return {};
  }

  OutputFile file_;
  RowKind kind_;
  std::vector<NumberColumn> columns_;
  std::vector<std::string> text_columns_;
  std::string line_;

  // The columns of the next rows.
  std::vector<Bytes> next_columns_;
  std::vector<std::span<const std::string>> next_text_columns_;
};

}  // namespace

Result<std::unique_ptr<VectorWriter>> make_jsonl_writer(OutputFile file, std::uint64_t dim,
                                                        const WriteOptions& options) {
  std::vector<std::string_view> taken = {"id", "embedding"};
  if (options.kind == RowKind::scores)
    taken.insert(taken.end(), {"score", "logit", "scores", "logits"});
  EMBD_TRY(check_column_options(options, taken, "JSON Lines"));
  return std::make_unique<JsonlWriter>(std::move(file), dim, options);
}

}  // namespace embd::jsonl
