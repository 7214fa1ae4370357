#include "base/system_error.h"

#include <fmt/format.h>

#include "base/path_text.h"

namespace embd {
namespace {

ErrorCode code_of(std::errc reason) noexcept {
  switch (reason) {
    case std::errc::no_such_file_or_directory:
      return ErrorCode::not_found;
    case std::errc::not_enough_memory:
      return ErrorCode::out_of_memory;
    case std::errc::broken_pipe:
      return ErrorCode::pipe_closed;
    default:
      return ErrorCode::io_failed;
  }
}

}  // namespace

Error system_error(std::string_view operation, const std::filesystem::path& path,
                   std::errc reason) {
  const std::string words = std::make_error_code(reason).message();
  return Error(code_of(reason), fmt::format("{}: {}", operation, words))
      .in_file(text_of_path(path));
}

bool is_system_error(const Error& error, int number) {
  return error.what().ends_with(std::generic_category().message(number));
}

}  // namespace embd
