#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/text/line_stream.h"

namespace embd {

/// Reads the rows of a TSV file: a line is a row, and tabs separate its fields. There is no
/// quoting, so a double quote is a character as any other. Spreadsheets and pandas nevertheless
/// quote the fields of such files as in CSV. Therefore two kinds of fields in quotes lose them,
/// because nothing but quoting explains them: a field with doubled quotes and no other ones inside;
/// and fields whose parts are too many for the row, until those in quotes are put together again.
class TsvReader {
 public:
  /// `warn` is InputOptions::on_warning. It is called for the first field that may be quoted.
  TsvReader(LineStream& stream, std::function<void(std::string_view)> warn)
      : stream_(stream), warn_(std::move(warn)) {}

  /// Reads the next row. Returns false at the end. Fails with the errors of LineStream.
  Result<bool> next(std::vector<std::string>& fields);
  /// Returns the line of the last row, from 1.
  std::uint64_t line() const noexcept { return stream_.line(); }

 private:
  void warn_once();

  LineStream& stream_;
  std::function<void(std::string_view)> warn_;
  std::string row_;
  std::size_t num_fields_ = 0;  // of the first row
};

}  // namespace embd
