#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/text_conversion.h"
#include "embd/error.h"
#include "embd/texts.h"

namespace embd {

/// Removes the LF or CRLF at the end of a line.
inline void strip_line_end(std::string& line) {
  if (!line.ends_with('\n')) return;
  line.pop_back();
  if (line.ends_with('\r')) line.pop_back();
}

/// Fails with unsupported if a file begins like a format that people mistake for text: compressed
/// files, UTF-16, Parquet and Arrow. Their bytes would otherwise be embedded as malformed UTF-8
/// without a warning. The message says what to do first.
Result<void> refuse_known_binary(std::string_view start);

/// Converts text to UTF-8; iconv does it for encodings other than UTF-8. Not thread-safe.
class Utf8Converter {
 public:
  /// Makes a converter. `encoding` is a name that iconv knows, such as "latin1" or "windows-1252";
  /// empty stands for UTF-8. Fails with invalid_argument for a name that iconv does not know, and
  /// for an encoding whose letters and line ends have other bytes than in ASCII, such as UTF-16,
  /// because lines could not be found.
  static Result<Utf8Converter> create(const std::string& encoding, InvalidText invalid);

  /// Converts the bytes of `text` from `first` on, in place. Fails with invalid_utf8 for bytes that
  /// are not valid in the encoding, unless they are to be replaced, and with unsupported for a NUL
  /// byte. Both errors give the offset of the byte in `text`.
  Result<void> convert(std::string& text, std::size_t first);

 private:
  Utf8Converter(std::string encoding, InvalidText invalid)
      : encoding_(std::move(encoding)), invalid_(invalid) {}
  Result<void> convert_utf8(std::string& text, std::size_t first);
  Result<void> convert_foreign(std::string& text, std::size_t first);
  std::unexpected<Error> invalid_byte(const std::string& text, std::size_t at) const;

  std::string encoding_;  // empty: UTF-8
  InvalidText invalid_;
  std::optional<os::TextConversion> conversion_;
  std::string converted_;
};

/// Reads a file, a pipe or standard input line by line. A file is read and not mapped, so a file
/// that shrinks meanwhile is only short and does not crash the process. A byte order mark at the
/// start is skipped. Not thread-safe.
class ByteStream {
 public:
  /// Opens a file; "-" is standard input. `max_line_bytes` is the greatest size of a line
  /// (InputOptions::max_text_bytes). `stop` ends waiting for bytes of a pipe or a terminal.
  /// Fails with not_found, io_failed or cancelled, and with unsupported for a file that is no text,
  /// such as a compressed one.
  static Result<ByteStream> open(const std::filesystem::path& path, std::uint64_t max_line_bytes,
                                 std::stop_token stop = {});

  /// Appends the next line to `line`, including its line feed if it has one. Returns false at the
  /// end. Fails with io_failed or cancelled, and with bad_value as soon as `line` would become
  /// greater than a line may be.
  Result<bool> append_line(std::string& line);
  /// Fails with bad_value if `bytes` is more than a line may have. `what` has this size.
  Result<void> check_size(std::string_view what, std::uint64_t bytes) const;

  /// Returns the path, or "standard input".
  const std::string& name() const noexcept { return name_; }
  /// Returns the size of a regular file in bytes; unset for a pipe.
  std::optional<std::uint64_t> file_bytes() const noexcept { return file_bytes_; }
  /// Returns the number of bytes of the lines returned so far, including a byte order mark.
  std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  /// Returns the SHA-256 of the first bytes_read() bytes of a regular file that was opened by its
  /// name; at the end, of the whole file. Empty for any other input, because nobody can compare it
  /// later.
  std::string sha256() noexcept;

 private:
  ByteStream() = default;
  /// Adds the bytes that were returned since the last call to the hash.
  void hash_given() noexcept;
  /// Fills the buffer. Returns false at the end.
  Result<bool> fill();
  /// Waits until there is something to read, or the end.
  Result<void> wait() const;
  /// Fails if a regular file has another size or time than when it was opened, because what was
  /// read may then be half of one text and half of another.
  Result<void> check_unchanged() const;

  std::string name_;
  FileDescriptor file_;
  std::stop_token stop_;
  std::uint64_t max_line_bytes_ = 0;
  std::optional<std::uint64_t> file_bytes_;
  std::uint64_t bytes_read_ = 0;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t hashed_end_ = 0;  // in the buffer
  bool is_hashed_ = false;
  FileTime changed_at_;  // when it was opened, if it is hashed
  Sha256 hash_;
};

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
