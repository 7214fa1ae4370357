#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/vectors.h"
#include "formats/vectors/format.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/ids.h"
#include "formats/vectors/jsonl/jsonl_lines.h"

namespace embd::jsonl {
namespace {

class JsonlWriter final : public VectorWriter, private NextColumns {
 public:
  JsonlWriter(OutputFile file, std::uint64_t dim, const WriteOptions& options)
      : VectorWriter(dim),
        file_(std::move(file)),
        kind_(options.kind),
        columns_(options.columns),
        text_columns_(options.text_columns) {}

  TableSink* table() noexcept override { return this; }

 private:
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
    clear_columns();
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
            "row {}: value {} is {}, which cannot be written in JSON, expected a finite number",
            row, i, values[i]);
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
};

/// Makes a writer of rows, with the columns that `options` names, to a file or a stream. Fails with
/// invalid_argument or unsupported if a line cannot have such columns.
Result<std::unique_ptr<VectorWriter>> make_jsonl_writer(OutputFile file, std::uint64_t dim,
                                                        const WriteOptions& options) {
  std::vector<std::string_view> taken = {"id", "embedding"};
  if (options.kind == RowKind::scores)
    taken.insert(taken.end(), {"score", "logit", "scores", "logits"});
  EMBD_TRY(check_column_options(options, taken, "JSON Lines"));
  return std::make_unique<JsonlWriter>(std::move(file), dim, options);
}

/// Returns the offset of each line's first byte, followed by the end of the file. There is one
/// offset if the file has no lines.
std::vector<std::uint64_t> find_lines(Bytes file) {
  std::vector<std::uint64_t> starts = {0};
  const std::string_view text = as_text(file);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string_view::npos;)
    starts.push_back(++at);
  if (starts.back() != file.size()) starts.push_back(file.size());
  return starts;
}

/// Describes the values of a line for messages.
std::string in_words(RowKind kind, std::size_t count) {
  if (kind == RowKind::vector) return fmt::format("{} values", count);
  return count == 2 ? "a score and a logit" : fmt::format("{} scores and logits", count / 2);
}

class JsonlReader final : public VectorReader, private TableSource, private RowTextSource {
 public:
  /// Makes a reader. `first` is the first line, if there is one.
  JsonlReader(MappedFile file, std::vector<std::uint64_t> lines, const Line& first)
      : file_(std::move(file)),
        lines_(std::move(lines)),
        has_ids_(!std::holds_alternative<std::monostate>(first.id)) {
    info_ = {.format = "jsonl",
             .encoding = "f32",
             .num_rows = lines_.size() - 1,
             .dim = first.values.size(),
             .kind = first.kind};
  }

  const VectorSetInfo& info() const noexcept override { return info_; }

  Result<Ids> ids() const override {
    Ids ids;
    if (!has_ids_) return ids;
    Line parsed;
    for (std::uint64_t row = 0; row < info_.num_rows; ++row) EMBD_TRY(add_id(row, parsed, ids));
    return ids;
  }

  std::string describe() const override {
    nlohmann::ordered_json json = {
        {"format", "jsonl"}, {"num_rows", info_.num_rows},         {"dim", info_.dim},
        {"ids", has_ids_},   {"file_bytes", file_.bytes().size()},
    };
    if (info_.kind == RowKind::scores) json["labels"] = info_.dim / 2;
    return json.dump();
  }

  const TableSource* table() const noexcept override { return this; }
  const RowTextSource* row_texts() const noexcept override {
    return found_columns().has_row_texts() ? this : nullptr;
  }

  Result<void> verify() const override {
    if (has_ids_) {
      EMBD_TRY(ids());
      return {};
    }
    Line parsed;
    for (std::uint64_t row = 0; row < info_.num_rows; ++row) EMBD_TRY(parse(row, parsed));
    return {};
  }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    Line parsed;
    for (std::uint64_t i = 0; i < count; ++i) {
      EMBD_TRY(parse(first + i, parsed));
      std::ranges::copy(parsed.values, out.subspan(i * info_.dim, info_.dim).begin());
    }
    return {};
  }

  const Columns& found_columns() const {
    std::call_once(columns_once_, [this] {
      // Scores and logits are not columns, because they are the rows.
      if (info_.kind == RowKind::vector)
        columns_ = Columns::find(info_.num_rows, [this](std::uint64_t row) { return line(row); });
    });
    return columns_;
  }
  std::vector<NumberColumn> columns() const override { return found_columns().numbers(); }
  std::vector<std::string> text_columns() const override { return found_columns().texts(); }

  Result<void> read_column(std::string_view name, std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    const auto& numbers = found_columns().numbers();
    const auto column = std::ranges::find(numbers, name, &NumberColumn::name);
    if (column == numbers.end())
      return fail(ErrorCode::invalid_argument, "no column of numbers is named {:?}", name);
    out.clear();
    return for_each_value(name, first, count, [&](const MemberValue& value) {
      return append_element(value, column->type, out);
    });
  }

  Result<std::vector<std::string>> read_text_column(std::string_view name, std::uint64_t first,
                                                    std::uint64_t count) const override {
    const auto& texts = found_columns().texts();
    if (std::ranges::find(texts, name) == texts.end())
      return TableSource::read_text_column(name, first, count);
    return read_texts(name, first, count);
  }

  Result<std::vector<std::string>> texts(std::uint64_t first, std::uint64_t count) const override {
    return read_texts(text_member, first, count);
  }

  Result<std::vector<std::string>> read_texts(std::string_view name, std::uint64_t first,
                                              std::uint64_t count) const {
    std::vector<std::string> values;
    EMBD_TRY(for_each_value(name, first, count, [&](const MemberValue& value) {
      const auto* text = std::get_if<std::string>(&value);
      if (text != nullptr) values.push_back(*text);
      return text != nullptr;
    }));
    return values;
  }

  /// Calls `use` with the value of a column for each of rows [first, first + count). `use` returns
  /// false if the value has another kind than when the column was found.
  Result<void> for_each_value(std::string_view name, std::uint64_t first, std::uint64_t count,
                              const std::function<bool(const MemberValue&)>& use) const {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    std::vector<Member> members;
    for (std::uint64_t row = first; row < first + count; ++row) {
      if (auto parsed = parse_members(line(row), members); !parsed)
        return std::unexpected(at_row(std::move(parsed).error(), row));
      if (use(value_of(members, name))) continue;
      return std::unexpected(
          at_row(Error(ErrorCode::bad_type,
                       fmt::format("member {:?} was changed while the file was read", name)),
                 row));
    }
    return {};
  }

  std::string_view line(std::uint64_t row) const noexcept {
    return as_text(file_.bytes().subspan(lines_[row], lines_[row + 1] - lines_[row]));
  }

  Error at_row(Error error, std::uint64_t row) const {
    return std::move(error).at_line(row + 1).in_file(text_of_path(file_.path()));
  }

  /// Parses the line of row `row` and checks the number of its values.
  Result<void> parse(std::uint64_t row, Line& parsed) const {
    auto done = parse_line(line(row), parsed);
    if (!done) return std::unexpected(at_row(std::move(done).error(), row));
    if (parsed.kind == info_.kind && parsed.values.size() == info_.dim) return {};
    return std::unexpected(at_row(
        Error(ErrorCode::bad_count, fmt::format("the line has {}, expected {}, as line 1 has",
                                                in_words(parsed.kind, parsed.values.size()),
                                                in_words(info_.kind, info_.dim))),
        row));
  }

  Result<void> add_id(std::uint64_t row, Line& parsed, Ids& ids) const {
    EMBD_TRY(parse(row, parsed));
    if (auto* number = std::get_if<std::uint64_t>(&parsed.id)) {
      if (row == 0) ids = std::vector<std::uint64_t>();
      if (auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids)) {
        numbers->push_back(*number);
        return {};
      }
    }
    if (auto* string = std::get_if<std::string>(&parsed.id)) {
      if (row == 0) ids = std::vector<std::string>();
      if (auto* strings = std::get_if<std::vector<std::string>>(&ids)) {
        strings->push_back(std::move(*string));
        return {};
      }
    }
    return std::unexpected(at_row(Error(ErrorCode::bad_type,
                                        "the ids are not all of one kind, expected a string on "
                                        "every line or a whole number on every line"),
                                  row));
  }

  MappedFile file_;
  std::vector<std::uint64_t> lines_;
  bool has_ids_;
  VectorSetInfo info_;
  mutable std::once_flag columns_once_;
  mutable Columns columns_;
};

Result<std::unique_ptr<VectorReader>> open(const std::filesystem::path& path, const ReadOptions&) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  std::vector<std::uint64_t> lines = find_lines(file.bytes());
  const auto in_first_line = [&](Error error) {
    return std::unexpected(std::move(error).at_line(1).in_file(text_of_path(path)));
  };
  Line first;
  if (lines.size() == 1)
    return std::make_unique<JsonlReader>(std::move(file), std::move(lines), first);
  const auto parsed = parse_line(as_text(file.bytes().first(lines[1])), first);
  if (!parsed) return in_first_line(parsed.error());
  if (first.values.empty())
    return in_first_line(
        Error(ErrorCode::bad_count, "the embedding has 0 values, expected at least one"));
  return std::make_unique<JsonlReader>(std::move(file), std::move(lines), first);
}

Result<std::unique_ptr<VectorWriter>> create(const std::filesystem::path& path, std::uint64_t dim,
                                             const WriteOptions& options) {
  if (options.element_type != ElementType::f32) {
    return fail(ErrorCode::invalid_argument, "JSON Lines stores f32, but the type {} was asked for",
                element_name(options.element_type));
  }
  return make_jsonl_writer(EMBD_TRY(OutputFile::create(path)), dim, options);
}

constexpr std::array<std::string_view, 1> extensions = {".jsonl"};

}  // namespace

const Format format = {
    .name = "jsonl",
    .extensions = extensions,
    .has_magic = nullptr,
    .open = open,
    .create = create,
    .room =
        always<Room{.ids = IdsInside::any, .columns = true, .text_columns = true, .places = true}>,
    .codes = CodeStorage::numbers,
    .write_stream = make_jsonl_writer,
    .has_scores = true,
};

}  // namespace embd::jsonl
