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
  invalid_argument,  ///< an argument or option that is not allowed
  unsupported,       ///< a setting, feature or format that embd does not implement
  recipe_mismatch,   ///< vectors that are not comparable, because their recipes differ
  cancelled,         ///< a stop request ended the call

  // The system.
  not_found,
  io_failed,
  out_of_memory,
  pipe_closed,  ///< the program that reads the output has ended

  // Any binary file.
  file_too_short,
  bad_magic,  ///< a file whose content is of no known format, or of another than was expected
  unsupported_version,
  unsupported_flags,
  reserved_not_zero,
  file_size_mismatch,
  trailing_bytes,
  section_out_of_bounds,
  sections_overlap,
  bad_count,  ///< another number of items, such as rows or dimensions, than expected
  bad_type,   ///< a value of another type than expected, or an unknown type
  bad_value,  ///< a value that is not allowed, such as one that is not finite
  duplicate,  ///< an id, key or name that occurs twice
  missing,    ///< a field, column, key or id that is needed and not there
  checksum_mismatch,
  compression_failed,  ///< compressed data that cannot be unpacked

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
  /// Makes an error without a place. `what` says what was found and what was expected.
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
  /// Returns the place of the fault in the file, in bytes from 0; nullopt if it is not known.
  std::optional<std::uint64_t> offset() const noexcept { return offset_; }
  /// Returns the line of the fault, from 1; nullopt if it is not known.
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

/// The result of a function that can fail: a value or an error.
template <class T>
using Result = std::expected<T, Error>;

}  // namespace embd
