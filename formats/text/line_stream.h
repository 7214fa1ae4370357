#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "embd/error.h"
#include "formats/text/byte_stream.h"
#include "formats/text/utf8_converter.h"

namespace embd {

/// Reads the lines of a file, a pipe or standard input and converts them to UTF-8. Not thread-safe.
class LineStream {
 public:
  LineStream(ByteStream bytes, Utf8Converter converter)
      : bytes_(std::move(bytes)), converter_(std::move(converter)) {}

  /// Appends the next line to `line`, including its line feed if it has one. Returns false at the
  /// end. Fails with the errors of ByteStream::append_line(), and with the errors of
  /// Utf8Converter::convert(), which then name the file and the line.
  Result<bool> append_line(std::string& line);

  /// Returns the number of the line that append_line() returned last, from 1.
  std::uint64_t line() const noexcept { return line_; }
  ByteStream& bytes() noexcept { return bytes_; }
  const ByteStream& bytes() const noexcept { return bytes_; }

 private:
  ByteStream bytes_;
  Utf8Converter converter_;
  std::uint64_t line_ = 0;
};

}  // namespace embd
