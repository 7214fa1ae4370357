#pragma once

#include <string_view>

#include "embd/error.h"

namespace embd {

/// That a file with this start is none of those that people take for texts: compressed ones,
/// UTF-16, Parquet and Arrow. Their bytes would be embedded as malformed UTF-8 without a word.
/// Errors: unsupported, which says how they become texts.
Result<void> refuse_known_binary(std::string_view start);

}  // namespace embd
