#pragma once

#include <array>
#include <string>
#include <vector>

#include "formats/text/line_stream.h"

namespace embd {

/// Reads the rows of a CSV file as RFC 4180 defines it. Fields are separated by a comma or another
/// delimiter, and are in quotes if they contain delimiters, quotes (doubled) or line ends. Rows end
/// with LF or CRLF. Anything that the standard does not allow is an error: a quote inside a field
/// without quotes, text after a closing quote, a lone CR, a quote that is open at the end.
class CsvReader {
 public:
  CsvReader(LineStream& stream, char delimiter)
      : stream_(stream), delimiter_(delimiter), ends_{delimiter, '"', '\r', '\n'} {}

  /// Reads the next row. Returns false at the end. Fails with bad_csv, and
  /// with the errors of LineStream, with the line.
  Result<bool> next(std::vector<std::string>& fields);
  /// Returns the line where the last row began, from 1.
  std::uint64_t line() const noexcept { return first_line_; }

 private:
  Result<void> quoted_field(std::string& field);
  Result<void> bare_field(std::string& field);
  std::unexpected<Error> error(const std::string& what, std::uint64_t line) const;

  LineStream& stream_;
  char delimiter_;
  std::array<char, 4> ends_;  // of a bare field
  std::string raw_;           // the physical line being read
  std::size_t at_ = 0;        // in raw_
  std::uint64_t first_line_ = 0;
};

}  // namespace embd
