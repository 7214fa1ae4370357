#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "embd/texts.h"
#include "formats/text/line_stream.h"

// The formats of texts; record_reader.cc opens files of all of them.

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

/// The members of an object whose values are kept in addition to the text.
struct FurtherFields {
  std::vector<std::string> names;
  /// The index from which on the members are numbers; they are rounded as their user needs.
  std::size_t first_number = 0;
};

/// The members of a JSON object that make up a record.
struct RecordFields {
  std::string text;
  bool are_token_ids = false;  ///< `text` names an array of token ids instead of a string
  std::string id;              ///< empty: records have no ids
  FurtherFields further;
};

/// Reads a record from the JSON object `line`. An id must be a string or a whole number of at least
/// 0; token ids must be at least one whole number below 2^31. Fails with bad_json, bad_type,
/// missing or duplicate; with bad_value for a token id out of range, and for an id beyond 64 bits,
/// because JSON readers round such numbers, and two ids could become equal.
Result<void> parse_json_record(std::string_view line, const RecordFields& fields, Record& record);

/// Opens the rows of a Parquet file as records. Fields are columns of texts or numbers; the line of
/// a record is the number of its row, from 1. Because rows are not stored one after the other,
/// bytes_read() is an estimate: the size of the file times the share of the rows that were read.
/// Likewise, sha256() within the file is a hash of the file's hash and the number of rows read; at
/// its start and its end it is as for any other file. Fails with the errors of ParquetFile and its
/// columns, and with invalid_argument for standard input and for an encoding, because texts in
/// Parquet are UTF-8.
Result<std::unique_ptr<RecordReader>> open_parquet_records(const std::filesystem::path& path,
                                                           const InputOptions& options);

}  // namespace embd
