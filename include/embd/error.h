#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace embd {

/// The kind of a failure. describe() returns a description of each.
enum class ErrorCode : std::uint16_t {
  // Mistakes of the caller.
  invalid_argument,
  unsupported,
  recipe_mismatch,
  cancelled,

  // The system.
  not_found,
  io_failed,
  out_of_memory,
  pipe_closed,

  // Any binary file.
  file_too_short,
  bad_magic,
  unsupported_version,
  unsupported_flags,
  reserved_not_zero,
  file_size_mismatch,
  trailing_bytes,
  section_out_of_bounds,
  sections_overlap,
  bad_count,
  bad_type,
  bad_value,
  duplicate,
  missing,
  checksum_mismatch,
  compression_failed,

  // Text inside or instead of binary.
  invalid_utf8,
  bad_json,
  bad_toml,
  bad_csv,

  // EMBD weight files.
  header_checksum,
  metadata_size,
  metadata_entry_out_of_bounds,
  metadata_duplicate_key,
  metadata_key_missing,
  metadata_number,
  metadata_value,
  metadata_contradiction,
  vocabulary_size,
  vocabulary_count,
  vocabulary_entry_out_of_bounds,
  vocabulary_missing,
  special_tokens_offset,
  special_token_id,
  duplicate_token,
  tensor_type,
  tensor_rank,
  tensor_shape,
  tensor_shape_overflow,
  tensor_out_of_bounds,
  tensors_overlap,
  tensor_misaligned,
  tensor_name_out_of_bounds,
  tensor_name_duplicate,
  tensor_name_hash,
  tensor_missing,
  tensor_wrong_shape,
  tensor_wrong_type,
  footer_magic,
  data_checksum,
  file_checksum,
};

/// Returns a short description of a code, such as "bad magic". It is never empty.
std::string_view describe(ErrorCode code) noexcept;

/// The description of a failure: its code, a sentence on what was found and what was expected, and
/// the place in the input. A value type. Every function of the library that can fail returns a
/// Result with such an error.
class Error {
 public:
  Error(ErrorCode code, std::string what);
  // Out of line, because they would be repeated in each function that hands an error on.
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

  /// Each of these three functions adds a place to the error: the file, the byte offset from 0, or
  /// the line from 1. A place that is already set is kept: the innermost function knows it best.
  Error in_file(std::string_view path) &&;
  Error at_offset(std::uint64_t byte_offset) &&;
  Error at_line(std::uint64_t line_from_1) &&;

  ErrorCode code() const noexcept { return code_; }
  /// Returns the sentence on what was found and what was expected, without the place.
  const std::string& what() const noexcept { return what_; }
  /// Returns the file that the error is about; empty if it is about none.
  const std::string& file() const noexcept { return file_; }
  std::optional<std::uint64_t> offset() const noexcept { return offset_; }
  std::optional<std::uint64_t> line() const noexcept { return line_; }
  /// Returns the whole message: place and sentence, such as "docs.cvc: byte 12: header length 99
  /// runs past the end, 64 bytes".
  std::string message() const;

 private:
  ErrorCode code_;
  std::string what_;
  std::string file_;
  std::optional<std::uint64_t> offset_;
  std::optional<std::uint64_t> line_;
};

template <class T>
using Result = std::expected<T, Error>;

}  // namespace embd
