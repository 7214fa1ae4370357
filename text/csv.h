#pragma once

#include <array>
#include <string>
#include <vector>

#include "text/line_stream.h"

namespace embd {

/// Rows of RFC 4180: fields parted by commas or another delimiter, in quotes where they hold
/// delimiters, quotes (doubled) or line ends; LF or CRLF between rows. What the standard does not
/// allow (a quote inside a bare field, text after a closing one, a lone CR, an open quote at the
/// end) is refused.
class CsvReader {
 public:
  CsvReader(LineStream& stream, char delimiter)
      : stream_(stream), delimiter_(delimiter), ends_{delimiter, '"', '\r', '\n'} {}

  /// The next row; false at the end. Error: bad_csv with the line.
  Result<bool> next(std::vector<std::string>& fields);
  /// Where the last row began, from 1.
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
