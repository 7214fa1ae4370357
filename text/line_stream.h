#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "embd/error.h"
#include "text/byte_stream.h"
#include "text/utf8_converter.h"

namespace embd {

/// The lines of a file, a pipe or standard input in UTF-8, whatever its encoding is. Not
/// thread-safe.
class LineStream {
 public:
  LineStream(ByteStream bytes, Utf8Converter converter)
      : bytes_(std::move(bytes)), converter_(std::move(converter)) {}

  /// Appends the next line to `line`, its line feed included if it has one; false at the end.
  /// Errors: those of ByteStream::append_line() and, with file and line, of
  /// Utf8Converter::convert().
  Result<bool> append_line(std::string& line);

  /// The number of the line that append_line() gave last, from 1.
  std::uint64_t line() const noexcept { return line_; }
  ByteStream& bytes() noexcept { return bytes_; }
  const ByteStream& bytes() const noexcept { return bytes_; }

 private:
  ByteStream bytes_;
  Utf8Converter converter_;
  std::uint64_t line_ = 0;
};

}  // namespace embd
