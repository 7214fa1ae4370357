#include "embd/error.h"

#include <fmt/format.h>

#include <utility>

namespace embd {

std::string_view describe(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid argument";
    case ErrorCode::unsupported:
      return "not supported";
    case ErrorCode::recipe_mismatch:
      return "made with another recipe";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::not_found:
      return "not found";
    case ErrorCode::io_failed:
      return "input or output failed";
    case ErrorCode::out_of_memory:
      return "out of memory";
    case ErrorCode::pipe_closed:
      return "the reader of the output went away";
    case ErrorCode::file_too_short:
      return "file too short";
    case ErrorCode::bad_magic:
      return "bad magic";
    case ErrorCode::unsupported_version:
      return "unsupported version";
    case ErrorCode::unsupported_flags:
      return "unsupported flags";
    case ErrorCode::reserved_not_zero:
      return "reserved field not zero";
    case ErrorCode::file_size_mismatch:
      return "file size differs from the header's";
    case ErrorCode::trailing_bytes:
      return "bytes after the end";
    case ErrorCode::section_out_of_bounds:
      return "section outside the file";
    case ErrorCode::sections_overlap:
      return "sections overlap";
    case ErrorCode::bad_count:
      return "counts disagree";
    case ErrorCode::bad_type:
      return "unknown type";
    case ErrorCode::bad_value:
      return "value out of range";
    case ErrorCode::duplicate:
      return "duplicate entry";
    case ErrorCode::missing:
      return "required entry missing";
    case ErrorCode::checksum_mismatch:
      return "checksum mismatch";
    case ErrorCode::compression_failed:
      return "compressed data unreadable";
    case ErrorCode::invalid_utf8:
      return "invalid UTF-8";
    case ErrorCode::bad_json:
      return "malformed JSON";
    case ErrorCode::bad_toml:
      return "malformed TOML";
    case ErrorCode::bad_csv:
      return "malformed CSV";
    case ErrorCode::header_checksum:
      return "header checksum mismatch";
    case ErrorCode::metadata_size:
      return "metadata count or size mismatch";
    case ErrorCode::metadata_entry_out_of_bounds:
      return "metadata entry past the end of its section";
    case ErrorCode::metadata_duplicate_key:
      return "duplicate metadata key";
    case ErrorCode::metadata_key_missing:
      return "required metadata key missing";
    case ErrorCode::metadata_number:
      return "metadata number unreadable";
    case ErrorCode::metadata_value:
      return "unknown metadata value";
    case ErrorCode::metadata_contradiction:
      return "metadata contradicts the tensors";
    case ErrorCode::vocabulary_size:
      return "vocabulary section size mismatch";
    case ErrorCode::vocabulary_count:
      return "vocabulary count mismatch";
    case ErrorCode::vocabulary_entry_out_of_bounds:
      return "vocabulary entry past the end of its section";
    case ErrorCode::vocabulary_missing:
      return "no vocabulary";
    case ErrorCode::special_tokens_offset:
      return "special token ids outside their place";
    case ErrorCode::special_token_id:
      return "special token id not in the vocabulary";
    case ErrorCode::duplicate_token:
      return "duplicate token";
    case ErrorCode::tensor_type:
      return "unknown tensor type";
    case ErrorCode::tensor_rank:
      return "tensor rank not 1 to 4";
    case ErrorCode::tensor_shape:
      return "malformed tensor shape";
    case ErrorCode::tensor_shape_overflow:
      return "tensor shape overflows";
    case ErrorCode::tensor_out_of_bounds:
      return "tensor data past the end";
    case ErrorCode::tensors_overlap:
      return "tensors overlap";
    case ErrorCode::tensor_misaligned:
      return "tensor not aligned as the flag promises";
    case ErrorCode::tensor_name_out_of_bounds:
      return "tensor name past the end";
    case ErrorCode::tensor_name_duplicate:
      return "duplicate tensor name";
    case ErrorCode::tensor_name_hash:
      return "tensor name hash mismatch";
    case ErrorCode::tensor_missing:
      return "required tensor missing";
    case ErrorCode::tensor_wrong_shape:
      return "tensor has the wrong shape";
    case ErrorCode::tensor_wrong_type:
      return "tensor has the wrong type";
    case ErrorCode::footer_magic:
      return "bad footer magic";
    case ErrorCode::data_checksum:
      return "tensor data checksum mismatch";
    case ErrorCode::file_checksum:
      return "file checksum mismatch";
  }
  return "unknown error";
}

Error::Error(ErrorCode code, std::string what) : code_(code), what_(std::move(what)) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Error Error::in_file(std::string_view path) && {
  if (file_.empty()) file_ = path;
  return std::move(*this);
}

Error Error::at_offset(std::uint64_t byte_offset) && {
  if (!offset_) offset_ = byte_offset;
  return std::move(*this);
}

Error Error::at_line(std::uint64_t line_from_1) && {
  if (!line_) line_ = line_from_1;
  return std::move(*this);
}

std::string Error::message() const {
  std::string text;
  if (!file_.empty()) text += file_ + ": ";
  if (offset_) text += fmt::format("byte {}: ", *offset_);
  if (line_) text += fmt::format("line {}: ", *line_);
  text += describe(code_);
  if (!what_.empty()) text += ": " + what_;
  return text;
}

}  // namespace embd
