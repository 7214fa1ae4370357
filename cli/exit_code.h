#pragma once

#include "embd/error.h"

namespace embd::cli {

/// The exit codes of the program; scripts rely on them.
enum class ExitCode : int {
  good = 0,
  usage = 2,
  bad_input = 3,
  recipe_mismatch = 4,
  difference = 5,  ///< found by verify, compare or check
  io_failed = 6,   ///< also out of memory and disk full
  interrupted = 130,
  pipe_closed = 141,  ///< the reader of standard output went away
};

ExitCode exit_code_of(const Error& error) noexcept;

}  // namespace embd::cli
