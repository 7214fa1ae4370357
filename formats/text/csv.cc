#include "formats/text/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"

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

}  // namespace embd
