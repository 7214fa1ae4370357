#include "base/error_codes.h"

#include <array>
#include <cstddef>
#include <utility>

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

}  // namespace

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

}  // namespace embd
