#include "cli/exit_code.h"

namespace embd::cli {

ExitCode exit_code_of(const Error& error) noexcept {
  switch (error.code()) {
    case ErrorCode::invalid_argument:
      return ExitCode::usage;
    case ErrorCode::recipe_mismatch:
      return ExitCode::recipe_mismatch;
    case ErrorCode::cancelled:
      return ExitCode::interrupted;
    case ErrorCode::pipe_closed:
      return ExitCode::pipe_closed;
    case ErrorCode::not_found:
    case ErrorCode::io_failed:
    case ErrorCode::out_of_memory:
      return ExitCode::io_failed;
    default:
      return ExitCode::bad_input;
  }
}

}  // namespace embd::cli
