#include "faces/cli/exit_code.h"

#include <utility>

#include "base/error_codes.h"

namespace embd::cli {

static_assert(std::to_underlying(ExitCode::usage) == std::to_underlying(ErrorStatus::bad_argument));
static_assert(std::to_underlying(ExitCode::bad_input) ==
              std::to_underlying(ErrorStatus::bad_input));
static_assert(std::to_underlying(ExitCode::recipe_mismatch) ==
              std::to_underlying(ErrorStatus::recipe_mismatch));
static_assert(std::to_underlying(ExitCode::io_failed) ==
              std::to_underlying(ErrorStatus::io_failed));
static_assert(std::to_underlying(ExitCode::interrupted) ==
              std::to_underlying(ErrorStatus::cancelled));

ExitCode exit_code_of(const Error& error) noexcept {
  if (error.code() == ErrorCode::pipe_closed) return ExitCode::pipe_closed;
  return static_cast<ExitCode>(status_of(error.code()));
}

}  // namespace embd::cli
