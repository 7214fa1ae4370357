#include "embd/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/error_codes.h"
#include "base/path_text.h"
#include "base/try.h"

namespace embd {
namespace {

/// Returns the name of an enumerator, taken from the name that the compiler gives this function.
template <ErrorCode code>
constexpr std::string_view name_of() {
  constexpr std::string_view function = __PRETTY_FUNCTION__;
  constexpr std::string_view before = "ErrorCode::";
  constexpr std::size_t first = function.rfind(before) + before.size();
  return function.substr(first, function.find_first_of("];,", first) - first);
}

constexpr std::size_t num_codes = static_cast<std::size_t>(ErrorCode::file_checksum) + 1;

template <std::size_t... codes>
constexpr std::array<std::string_view, num_codes> all_names(std::index_sequence<codes...>) {
  return {name_of<static_cast<ErrorCode>(codes)>()...};
}
static_assert(name_of<ErrorCode::file_checksum>() == "file_checksum");

/// The words for each code, in the order of the codes.
constexpr std::pair<ErrorCode, std::string_view> descriptions[] = {
    {ErrorCode::invalid_argument, "invalid argument"},
    {ErrorCode::unsupported, "not supported"},
    {ErrorCode::recipe_mismatch, "made with another recipe"},
    {ErrorCode::cancelled, "cancelled"},
    {ErrorCode::not_found, "not found"},
    {ErrorCode::io_failed, "input or output failed"},
    {ErrorCode::out_of_memory, "out of memory"},
    {ErrorCode::pipe_closed, "the reader of the output went away"},
    {ErrorCode::file_too_short, "file too short"},
    {ErrorCode::bad_magic, "bad magic"},
    {ErrorCode::unsupported_version, "unsupported version"},
    {ErrorCode::unsupported_flags, "unsupported flags"},
    {ErrorCode::reserved_not_zero, "reserved field not zero"},
    {ErrorCode::file_size_mismatch, "file size differs from the header's"},
    {ErrorCode::trailing_bytes, "bytes after the end"},
    {ErrorCode::section_out_of_bounds, "section outside the file"},
    {ErrorCode::sections_overlap, "sections overlap"},
    {ErrorCode::bad_count, "counts disagree"},
    {ErrorCode::bad_type, "unknown type"},
    {ErrorCode::bad_value, "value out of range"},
    {ErrorCode::duplicate, "duplicate entry"},
    {ErrorCode::missing, "required entry missing"},
    {ErrorCode::checksum_mismatch, "checksum mismatch"},
    {ErrorCode::compression_failed, "compressed data unreadable"},
    {ErrorCode::invalid_utf8, "invalid UTF-8"},
    {ErrorCode::bad_json, "malformed JSON"},
    {ErrorCode::bad_toml, "malformed TOML"},
    {ErrorCode::bad_csv, "malformed CSV"},
    {ErrorCode::header_checksum, "header checksum mismatch"},
    {ErrorCode::metadata_size, "metadata count or size mismatch"},
    {ErrorCode::metadata_entry_out_of_bounds, "metadata entry past the end of its section"},
    {ErrorCode::metadata_duplicate_key, "duplicate metadata key"},
    {ErrorCode::metadata_key_missing, "required metadata key missing"},
    {ErrorCode::metadata_number, "metadata number unreadable"},
    {ErrorCode::metadata_value, "unknown metadata value"},
    {ErrorCode::metadata_contradiction, "metadata contradicts the tensors"},
    {ErrorCode::vocabulary_size, "vocabulary section size mismatch"},
    {ErrorCode::vocabulary_count, "vocabulary count mismatch"},
    {ErrorCode::vocabulary_entry_out_of_bounds, "vocabulary entry past the end of its section"},
    {ErrorCode::vocabulary_missing, "no vocabulary"},
    {ErrorCode::special_tokens_offset, "special token ids outside their place"},
    {ErrorCode::special_token_id, "special token id not in the vocabulary"},
    {ErrorCode::duplicate_token, "duplicate token"},
    {ErrorCode::tensor_type, "unknown tensor type"},
    {ErrorCode::tensor_rank, "tensor rank not 1 to 4"},
    {ErrorCode::tensor_shape, "malformed tensor shape"},
    {ErrorCode::tensor_shape_overflow, "tensor shape overflows"},
    {ErrorCode::tensor_out_of_bounds, "tensor data past the end"},
    {ErrorCode::tensors_overlap, "tensors overlap"},
    {ErrorCode::tensor_misaligned, "tensor not aligned as the flag promises"},
    {ErrorCode::tensor_name_out_of_bounds, "tensor name past the end"},
    {ErrorCode::tensor_name_duplicate, "duplicate tensor name"},
    {ErrorCode::tensor_name_hash, "tensor name hash mismatch"},
    {ErrorCode::tensor_missing, "required tensor missing"},
    {ErrorCode::tensor_wrong_shape, "tensor has the wrong shape"},
    {ErrorCode::tensor_wrong_type, "tensor has the wrong type"},
    {ErrorCode::footer_magic, "bad footer magic"},
    {ErrorCode::data_checksum, "tensor data checksum mismatch"},
    {ErrorCode::file_checksum, "file checksum mismatch"},
};
static_assert(std::size(descriptions) == num_codes);
static_assert(std::ranges::is_sorted(descriptions));

}  // namespace

std::string_view describe(ErrorCode code) noexcept {
  const auto i = static_cast<std::size_t>(code);
  return i < num_codes ? descriptions[i].second : "unknown error";
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

std::string_view error_name(ErrorCode code) noexcept {
  static constexpr auto names = all_names(std::make_index_sequence<num_codes>());
  return names[static_cast<std::size_t>(code)];
}

ErrorStatus status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return ErrorStatus::bad_argument;
    case ErrorCode::recipe_mismatch:
      return ErrorStatus::recipe_mismatch;
    case ErrorCode::cancelled:
      return ErrorStatus::cancelled;
    case ErrorCode::not_found:
    case ErrorCode::io_failed:
    case ErrorCode::out_of_memory:
    case ErrorCode::pipe_closed:
      return ErrorStatus::io_failed;
    default:
      return ErrorStatus::bad_input;
  }
}

std::unexpected<Error> fail(ErrorCode code, std::string what) {
  return std::unexpected(Error(code, std::move(what)));
}

std::unexpected<Error> fail_at(std::uint64_t offset, ErrorCode code, std::string what) {
  return std::unexpected(Error(code, std::move(what)).at_offset(offset));
}

std::unexpected<Error> fail_in(const std::filesystem::path& path, ErrorCode code,
                               std::string what) {
  return std::unexpected(Error(code, std::move(what)).in_file(text_of_path(path)));
}

}  // namespace embd
