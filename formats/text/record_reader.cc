#include "embd/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "base/decimal.h"
#include "base/json_text.h"
#include "base/messages.h"
#include "base/path_text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/text/line_stream.h"
#include "formats/text/open_records.h"
#include "formats/text/record_formats.h"

namespace embd {
namespace {

/// A RecordReader over a LineStream.
class StreamReader : public RecordReader {
 public:
  explicit StreamReader(LineStream stream) : stream_(std::move(stream)) {}

  const std::string& name() const noexcept override { return bytes().name(); }
  std::optional<std::uint64_t> file_bytes() const noexcept override { return bytes().file_bytes(); }
  std::uint64_t bytes_read() const noexcept override { return bytes().bytes_read(); }
  std::string sha256() noexcept override { return stream_.bytes().sha256(); }

 protected:
  Result<bool> next_line(std::string& line) {
    line.clear();
    if (!EMBD_TRY(stream_.append_line(line))) return false;
    strip_line_end(line);
    return true;
  }
  std::unexpected<Error> at_line(Error error, std::uint64_t line) const {
    return std::unexpected(std::move(error).at_line(line).in_file(name()));
  }
  const ByteStream& bytes() const noexcept { return stream_.bytes(); }

  LineStream stream_;
};

class TxtReader final : public StreamReader {
 public:
  using StreamReader::StreamReader;

  Result<bool> next(Record& record) override {
    const bool more = EMBD_TRY(next_line(record.text));
    record.line = stream_.line();
    return more;
  }
  Result<bool> skip() override { return next_line(skipped_); }

 private:
  std::string skipped_;
};

class JsonlReader final : public StreamReader {
 public:
  JsonlReader(LineStream stream, const InputOptions& options)
      : StreamReader(std::move(stream)),
        fields_{.text = text_field(options),
                .are_token_ids = !options.token_ids_field.empty(),
                .id = options.id_field,
                .further = {.names = options.fields, .first_number = options.fields.size()}},
        replaces_invalid_(options.invalid_text == InvalidText::replace) {
    fields_.further.names.insert(fields_.further.names.end(), options.number_fields.begin(),
                                 options.number_fields.end());
  }

  Result<bool> next(Record& record) override {
    if (!EMBD_TRY(next_line(source_))) return false;
    record.line = stream_.line();
    if (replaces_invalid_) replace_half_surrogates(source_);
    auto parsed = parse_json_record(source_, fields_, record);
    if (!parsed) return at_line(std::move(parsed).error(), stream_.line());
    return true;
  }
  Result<bool> skip() override { return next_line(source_); }
  bool has_token_ids() const noexcept override { return fields_.are_token_ids; }

 private:
  static std::string text_field(const InputOptions& options) {
    if (!options.token_ids_field.empty()) return options.token_ids_field;
    return options.text_field.empty() ? "text" : options.text_field;
  }

  RecordFields fields_;
  bool replaces_invalid_;
  std::string source_;
};

/// Returns the decimal number in a cell, which may have blanks around it; null if there is none.
nlohmann::json number_in(std::string_view cell) {
  cell = trimmed(cell, " \t\r\n");
  const auto number = decimal_of<double>(cell);
  if (!number || !std::isfinite(*number)) return nullptr;
  if (cell.starts_with('+')) cell.remove_prefix(1);
  if (const auto positive = whole_number<std::uint64_t>(cell)) return *positive;
  if (const auto negative = whole_number<std::int64_t>(cell)) return *negative;
  return *number;
}

/// Returns the cell of a table as JSON: a string, unless it is a number and `may_be_number`.
std::string cell_as_json(const std::string& cell, bool may_be_number) {
  nlohmann::json value = may_be_number ? number_in(cell) : nullptr;
  if (value.is_null()) value = cell;
  return value.dump();
}

/// Reads a table in CSV or TSV, which differ only in how rows are split into fields.
class TableReader final : public StreamReader {
 public:
  TableReader(LineStream stream, const InputOptions& options, InputFormat format)
      : StreamReader(std::move(stream)), options_(options) {
    if (format == InputFormat::tsv) rows_.emplace<TsvReader>(stream_, options.on_warning);
  }

  Result<void> start() {
    if (!options_.has_header) return find_fields("1");
    if (!EMBD_TRY(next_row())) {
      return std::unexpected(
          Error(ErrorCode::bad_csv, "the file has no header row").at_line(1).in_file(name()));
    }
    num_fields_ = fields_.size();
    return find_fields("text");
  }

  Result<bool> next(Record& record) override {
    if (!EMBD_TRY(next_row())) return false;
    record.line = row_line_;
    if (num_fields_ == 0) num_fields_ = fields_.size();
    if (fields_.size() != num_fields_) {
      return at_line(Error(ErrorCode::bad_csv,
                           fmt::format("the row has {} fields, expected {} as in the first row{}",
                                       fields_.size(), num_fields_, rule_of_quotes())),
                     row_line_);
    }
    if (last_ >= num_fields_) {
      return at_line(
          Error(ErrorCode::missing, fmt::format("field {} was named, but the row has {} fields",
                                                last_ + 1, num_fields_)),
          row_line_);
    }
    record.fields.clear();
    for (std::size_t i = 0; i < further_.size(); ++i) {
      record.fields += i == 0 ? '[' : ',';
      record.fields += cell_as_json(fields_[further_[i]], i >= options_.fields.size());
    }
    if (!further_.empty()) record.fields += ']';
    if (id_) record.id = EMBD_TRY(make_id(fields_[*id_]));
    // Swapping keeps the memory of both in use.
    if (id_ == text_) {
      record.text = fields_[text_];
    } else {
      std::swap(record.text, fields_[text_]);
    }
    return true;
  }

  Result<bool> skip() override {
    // The first row says how many fields all have, and its id of which kind all are.
    const bool is_known = num_fields_ != 0 && (!id_ || options_.id_type != IdType::automatic);
    return is_known ? next_row() : RecordReader::skip();
  }

 private:
  Result<bool> next_row() {
    const auto read = [this](auto& rows) -> Result<bool> {
      const bool more = EMBD_TRY(rows.next(fields_));
      row_line_ = rows.line();
      return more;
    };
    return std::visit(read, rows_);
  }

  std::string_view rule_of_quotes() const {
    return std::holds_alternative<CsvReader>(rows_)
               ? ""
               : "; in TSV every tab and every line end separates, because there is no quoting: "
                 "read a table with fields in quotes as csv, with a tab as the delimiter";
  }

  Result<void> find_fields(const std::string& default_text) {
    text_ = EMBD_TRY(find(options_.text_field.empty() ? default_text : options_.text_field));
    if (!options_.id_field.empty()) id_ = EMBD_TRY(find(options_.id_field));
    for (const std::string& field : options_.fields) further_.push_back(EMBD_TRY(find(field)));
    for (const std::string& field : options_.number_fields)
      further_.push_back(EMBD_TRY(find(field)));
    last_ = std::max(text_, id_.value_or(0));
    for (const std::size_t further : further_) last_ = std::max(last_, further);
    return {};
  }

  Result<std::size_t> find(const std::string& field) const {
    return options_.has_header ? named(field) : numbered(field);
  }

  Result<std::size_t> numbered(const std::string& field) const {
    const auto number = whole_number<std::size_t>(field);
    if (number && *number > 0) return *number - 1;
    return fail(ErrorCode::invalid_argument,
                "field {:?} was named, but the file has no header, expected the number "
                "of a field, from 1",
                field);
  }

  Result<std::size_t> named(const std::string& field) const {
    const auto found = std::ranges::find(fields_, field);
    if (found == fields_.end()) {
      return at_line(
          Error(ErrorCode::missing, fmt::format("the header has no field {:?}, but {}: name "
                                                "another field, or say that the file has no header",
                                                field, quoted_names(fields_))),
          row_line_);
    }
    if (std::ranges::count(fields_, field) > 1)
      return at_line(Error(ErrorCode::duplicate, fmt::format("header field {:?}", field)),
                     row_line_);
    return static_cast<std::size_t>(found - fields_.begin());
  }

  Result<RecordId> make_id(const std::string& text) {
    const auto number = plain_number(text);
    if (options_.id_type == IdType::automatic)
      options_.id_type = number ? IdType::number : IdType::string;
    if (options_.id_type == IdType::string) return text;
    if (number) return *number;
    return at_line(Error(ErrorCode::bad_value,
                         fmt::format("id {:?} is not a whole number below 2^64 without leading "
                                     "zeros, expected one because the first id is a number, or the "
                                     "id type number was chosen: choose the id type string, which "
                                     "takes all ids as they are",
                                     text)),
                   row_line_);
  }

  InputOptions options_;
  std::variant<CsvReader, TsvReader> rows_{std::in_place_type<CsvReader>, stream_,
                                           options_.delimiter};
  std::vector<std::string> fields_;
  std::size_t num_fields_ = 0;
  std::size_t text_ = 0;
  std::optional<std::size_t> id_;
  std::vector<std::size_t> further_;  // options_.fields, then number_fields
  std::size_t last_ = 0;              // of those
  std::uint64_t row_line_ = 0;
};

Result<void> check_delimiter(char delimiter, InputFormat format) {
  constexpr std::string_view delimiters = "\t !#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  if (!delimiters.contains(delimiter)) {
    return fail(ErrorCode::invalid_argument,
                "the delimiter is {:?}, expected a tab, a space or an ASCII character "
                "other than a letter, a digit or a double quote",
                std::string_view(&delimiter, 1));
  }
  if (delimiter != ',' && format != InputFormat::csv)
    return fail(ErrorCode::invalid_argument,
                "a delimiter was given, but only the format csv has one: choose csv as the format "
                "of the input");
  return {};
}

/// Gives each record an id made of the file's name and the record's line (IdSource::file).
class FileIdReader final : public WrappedReader {
 public:
  using WrappedReader::WrappedReader;

  Result<bool> next(Record& record) override {
    if (!EMBD_TRY(inner().next(record))) return false;
    record.id = fmt::format("{}:{}", name(), record.line);
    return true;
  }
};

/// Leaves out the records whose texts are blank.
class NonEmptyReader final : public WrappedReader {
 public:
  using WrappedReader::WrappedReader;

  Result<bool> next(Record& record) override {
    while (EMBD_TRY(inner().next(record)))
      if (!is_blank(record.text)) return true;
    return false;
  }
  Result<bool> skip() override { return RecordReader::skip(); }
};

/// Checks that the name of the file can be a part of ids.
Result<void> check_file_ids(const std::filesystem::path& path, const InputOptions& options) {
  if (!options.id_field.empty())
    return fail(ErrorCode::invalid_argument,
                "ids were to be read from a field and also to be made from the names of files: "
                "choose one of the two");
  if (path == "-")
    return fail(ErrorCode::invalid_argument,
                "ids were to be made from the names of files, but standard input has no name");
  return {};
}

/// Opens the reader of a format, whose options have been checked.
Result<std::unique_ptr<RecordReader>> open_format(InputFormat format,
                                                  const std::filesystem::path& path,
                                                  const InputOptions& options,
                                                  std::stop_token stop) {
  if (format == InputFormat::parquet) return open_parquet_records(path, options);
  Utf8Converter converter = EMBD_TRY(Utf8Converter::create(options.encoding, options.invalid_text));
  ByteStream bytes = EMBD_TRY(ByteStream::open(path, options.max_text_bytes, std::move(stop)));
  LineStream stream(std::move(bytes), std::move(converter));
  switch (format) {
    case InputFormat::txt:
      return std::make_unique<TxtReader>(std::move(stream));
    case InputFormat::jsonl:
      return std::make_unique<JsonlReader>(std::move(stream), options);
    case InputFormat::csv:
    case InputFormat::tsv:
    case InputFormat::parquet:
      break;
  }
  auto table = std::make_unique<TableReader>(std::move(stream), options, format);
  EMBD_TRY(table->start());
  return table;
}

}  // namespace

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

InputFormat input_format_of(const std::filesystem::path& path) {
  const std::string extension = text_of_path(path.extension());
  if (extension == ".jsonl" || extension == ".ndjson") return InputFormat::jsonl;
  if (extension == ".csv") return InputFormat::csv;
  if (extension == ".tsv") return InputFormat::tsv;
  if (extension == ".parquet") return InputFormat::parquet;
  return InputFormat::txt;
}

Result<std::unique_ptr<RecordReader>> open_file(const std::filesystem::path& path,
                                                const InputOptions& options, std::stop_token stop) {
  if (!options.format && path.extension() == ".json") {
    return fail_in(
        path, ErrorCode::unsupported,
        "the name ends in .json, which means one JSON document, expected texts or JSON Lines: "
        "write each item of an array on a line of its own, or, if every line of the file is an "
        "object, choose jsonl as the format of the input");
  }
  const InputFormat format = options.format.value_or(input_format_of(path));
  if (format == InputFormat::txt && !((options.text_field + options.id_field).empty() &&
                                      options.fields.empty() && options.number_fields.empty()))
    return fail(ErrorCode::invalid_argument,
                "fields were named, but plain text has none: choose jsonl, csv, tsv or parquet as "
                "the format of the input");
  if (!options.token_ids_field.empty() && format != InputFormat::jsonl)
    return fail(ErrorCode::invalid_argument,
                "a field of token ids was named, but only JSON Lines can contain token ids: choose "
                "jsonl as the format of the input");
  if (!options.token_ids_field.empty() && !options.text_field.empty())
    return fail(
        ErrorCode::invalid_argument,
        "a field of texts and a field of token ids were both named, expected one of the two");
  if (!options.token_ids_field.empty() && options.token_ids_field == options.id_field)
    return fail(
        ErrorCode::invalid_argument,
        "the same field was named for ids and for token ids, expected two different fields");
  if (format != InputFormat::csv && format != InputFormat::tsv && !options.has_header)
    return fail(ErrorCode::invalid_argument,
                "a file without a header was announced, but only csv and tsv have headers: choose "
                "one of these as the format of the input");
  EMBD_TRY(check_delimiter(options.delimiter, format));
  auto reader = EMBD_TRY(open_format(format, path, options, std::move(stop)));
  if (options.id_from == IdSource::file) {
    EMBD_TRY(check_file_ids(path, options));
    reader = std::make_unique<FileIdReader>(std::move(reader));
  }
  if (options.skip_empty) return std::make_unique<NonEmptyReader>(std::move(reader));
  return reader;
}

}  // namespace embd
