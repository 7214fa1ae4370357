#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "embd/error.h"

namespace embd {

/// The bytes of a file, a pipe or standard input, line by line, read as they are needed (not
/// mapped: a file that shrinks meanwhile is a short file, no crash). A byte order mark at the start
/// is passed over. Not thread-safe.
class ByteStream {
 public:
  /// "-" is standard input. `stop` ends waiting for the bytes of a pipe or a terminal. Errors:
  /// not_found, io_failed, cancelled; unsupported for a compressed file and others that are no
  /// texts.
  static Result<ByteStream> open(const std::filesystem::path& path, std::stop_token stop = {});

  /// Appends the next line to `line`, its line feed included if it has one; false at the end.
  /// Errors: io_failed, cancelled.
  Result<bool> append_line(std::string& line);

  /// The path, or "standard input".
  const std::string& name() const noexcept { return name_; }
  /// Bytes of a regular file; nothing for a pipe.
  std::optional<std::uint64_t> file_bytes() const noexcept { return file_bytes_; }
  /// Bytes of the lines given out, a byte order mark included.
  std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  /// SHA-256 of the first bytes_read() bytes of a regular file opened by its name, so of the whole
  /// file at its end. Empty for anything else, of which nobody can say later what it was.
  std::string sha256() noexcept;

 private:
  ByteStream() = default;
  /// Hashes the bytes that were given out since the last call.
  void hash_given() noexcept;
  /// Fills the buffer; false at the end.
  Result<bool> fill();
  /// Returns when there is something to read, if only an end.
  Result<void> wait() const;
  /// Error unless a regular file has the size and the time that it had when it was opened: what was
  /// read may be half of one text and half of another.
  Result<void> check_unchanged() const;

  std::string name_;
  FileDescriptor file_;
  std::stop_token stop_;
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

}  // namespace embd
