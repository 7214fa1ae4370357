#pragma once

#include <string_view>

#include "embd/error.h"

namespace embd::js {

/// The name of the enumerator, such as "bad_magic".
std::string_view error_name(ErrorCode code) noexcept;

/// Who has to act, as the C interface has it: "bad_argument" the caller, "bad_input" whoever made
/// the file, "recipe_mismatch", "io_failed" the system, "cancelled".
std::string_view status_name(ErrorCode code) noexcept;

}  // namespace embd::js
