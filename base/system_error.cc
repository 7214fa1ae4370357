#include "base/system_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace embd {

Error system_error(std::string_view operation, const std::filesystem::path& path) {
  const int number = errno;
  const ErrorCode code = number == ENOENT   ? ErrorCode::not_found
                         : number == ENOMEM ? ErrorCode::out_of_memory
                         : number == EPIPE  ? ErrorCode::pipe_closed
                                            : ErrorCode::io_failed;
  return Error(code, fmt::format("{}: {}", operation, std::generic_category().message(number)))
      .in_file(path.native());
}

bool is_system_error(const Error& error, int number) {
  return error.what().ends_with(std::generic_category().message(number));
}

}  // namespace embd
