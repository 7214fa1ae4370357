#pragma once

#include "embd/error.h"

namespace embd::cli {

/// The exit codes of the program. They do not change between releases, because scripts rely on
/// them.
enum class ExitCode : int {
  good = 0,
  usage = 2,
  bad_input = 3,
  recipe_mismatch = 4,
  difference = 5,  ///< verify, compare or check has found a difference
  io_failed = 6,   ///< also if memory or disk space is used up
  interrupted = 130,
  pipe_closed = 141,  ///< the reader of standard output has closed it
};

/// Returns the exit code for an error of the library.
ExitCode exit_code_of(const Error& error) noexcept;

}  // namespace embd::cli
