#pragma once

#include <string_view>

#include "embd/error.h"

namespace embd {

/// Returns the name of the enumerator, such as "bad_magic".
std::string_view error_name(ErrorCode code) noexcept;

/// The party that has to act after an error. embd_status and the exit codes of the program have the
/// same numbers, which do not change between releases.
enum class ErrorStatus : int {
  bad_argument = 2,  ///< the caller
  bad_input = 3,     ///< whoever made the file or the text
  recipe_mismatch = 4,
  io_failed = 6,  ///< the system
  cancelled = 130,
};

/// Returns the party that has to act after an error with this code.
ErrorStatus status_of(ErrorCode code) noexcept;

}  // namespace embd
