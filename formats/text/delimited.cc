#include "formats/text/record_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "formats/text/line_stream.h"

namespace embd {

std::unexpected<Error> CsvReader::error(const std::string& what, std::uint64_t line) const {
  return std::unexpected(
      Error(ErrorCode::bad_csv, what).at_line(line).in_file(stream_.bytes().name()));
}

Result<bool> CsvReader::next(std::vector<std::string>& fields) {
  raw_.clear();
  at_ = 0;
  if (!EMBD_TRY(stream_.append_line(raw_))) return false;
  first_line_ = stream_.line();
  for (std::size_t count = 0;; ++at_) {
    if (fields.size() == count) fields.emplace_back();
    std::string& field = fields[count++];
    field.clear();
    if (at_ < raw_.size() && raw_[at_] == '"') {
      EMBD_TRY(quoted_field(field));
    } else {
      EMBD_TRY(bare_field(field));
    }
    const std::string_view rest = std::string_view(raw_).substr(at_);
    if (rest.empty() || rest == "\n" || rest == "\r\n") {
      fields.resize(count);
      return true;
    }
    if (rest[0] == delimiter_) continue;
    return error(rest[0] == '\r' ? "a carriage return without a line feed stands outside quotes"
                 : rest[0] == '"'
                     ? "a quote stands inside a field that does not begin with a quote"
                     : fmt::format("text follows a closing quote, expected '{}'", delimiter_),
                 stream_.line());
  }
}

Result<void> CsvReader::quoted_field(std::string& field) {
  ++at_;
  while (true) {
    const std::size_t quote = raw_.find('"', at_);
    if (quote == std::string::npos) {
      field.append(raw_, at_);
      if (auto fits = stream_.bytes().check_size("a field in quotes", field.size()); !fits)
        return std::unexpected(std::move(fits).error().at_line(first_line_));
      raw_.clear();
      at_ = 0;
      if (!EMBD_TRY(stream_.append_line(raw_))) {
        return error("the row that begins here has a quote that is never closed", first_line_);
      }
      continue;
    }
    field.append(raw_, at_, quote - at_);
    at_ = quote + 1;
    if (at_ == raw_.size() || raw_[at_] != '"') return {};
    field += '"';
    ++at_;
  }
}

Result<void> CsvReader::bare_field(std::string& field) {
  const std::size_t end =
      std::min(raw_.find_first_of(ends_.data(), at_, ends_.size()), raw_.size());
  field.assign(raw_, at_, end - at_);
  at_ = end;
  return {};
}

namespace {

constexpr char tab = '\t';
constexpr char quote = '"';

/// Returns the end of the field in quotes that begins at `begin` as in CSV: the place behind the
/// closing quote. Returns npos if no quote closes it, or if something but a tab follows.
std::size_t end_of_quoted(std::string_view row, std::size_t begin) {
  std::size_t at = row.find(quote, begin + 1);
  while (at < row.size() && row.substr(at + 1).starts_with(quote)) at = row.find(quote, at + 2);
  if (at == std::string_view::npos) return at;
  return at + 1 == row.size() || row[at + 1] == tab ? at + 1 : std::string_view::npos;
}

/// Splits a row at its tabs; with `has_quotes` not at those that stand in a field in quotes.
void split(std::string_view row, bool has_quotes, std::vector<std::string>& fields) {
  fields.clear();
  for (std::size_t begin = 0; begin <= row.size();) {
    std::size_t end = std::string_view::npos;
    if (has_quotes && row.substr(begin).starts_with(quote)) end = end_of_quoted(row, begin);
    if (end == std::string_view::npos) end = std::min(row.find(tab, begin), row.size());
    fields.emplace_back(row.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// Returns true if a field may be one in quotes, or the beginning of one.
bool may_be_quoted(std::string_view field) {
  if (!field.starts_with(quote)) return false;
  return end_of_quoted(field, 0) == field.size() || !field.substr(1).contains(quote);
}

/// Takes the quotes off a field that can only be a field in quotes.
void unquote(std::string& field) {
  if (end_of_quoted(field, 0) != field.size()) return;
  const std::string_view inside = std::string_view(field).substr(1, field.size() - 2);
  if (!inside.contains(quote) && !inside.contains(tab)) return;
  std::string text;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    text += inside[i];
    if (inside[i] == quote) ++i;
  }
  field = std::move(text);
}

}  // namespace

Result<bool> TsvReader::next(std::vector<std::string>& fields) {
  row_.clear();
  if (!EMBD_TRY(stream_.append_line(row_))) return false;
  strip_line_end(row_);
  split(row_, false, fields);
  if (num_fields_ == 0) num_fields_ = fields.size();
  if (!row_.contains(quote)) return true;
  if (std::ranges::any_of(fields, may_be_quoted)) warn_once();
  if (fields.size() > num_fields_) {
    std::vector<std::string> joined;
    split(row_, true, joined);
    if (joined.size() == num_fields_) fields = std::move(joined);
  }
  for (std::string& field : fields)
    if (field.starts_with(quote)) unquote(field);
  return true;
}

void TsvReader::warn_once() {
  if (!warn_) return;
  std::exchange(warn_, nullptr)(fmt::format(
      "{}: line {}: a field is in double quotes. TSV has no quoting, so quotes are part of a text, "
      "except around a field with a tab or with doubled quotes. If quotes are to be taken off "
      "everywhere, read the file as csv with a tab as the delimiter",
      stream_.bytes().name(), stream_.line()));
}

}  // namespace embd
