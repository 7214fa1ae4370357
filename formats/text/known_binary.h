#pragma once

#include <string_view>

#include "embd/error.h"

namespace embd {

/// Fails with unsupported if a file begins like a format that people mistake for text: compressed
/// files, UTF-16, Parquet and Arrow. Their bytes would otherwise be embedded as malformed UTF-8
/// without a warning. The message says what to do first.
Result<void> refuse_known_binary(std::string_view start);

}  // namespace embd
