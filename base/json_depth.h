#pragma once

#include <cstdint>
#include <string_view>

#include "embd/error.h"

namespace embd {

/// Refuses JSON whose arrays and objects nest deeper than `max_depth`, by default deeper than any
/// that is meant: nlohmann-json copies and prints a value by recursion, and 100,000 levels end the
/// process. To be asked before it sees text from a file. Errors: bad_json with the offset in the
/// file, where the text begins at `text_at`.
Result<void> check_json_depth(std::string_view text, std::uint64_t text_at = 0,
                              int max_depth = 256);

}  // namespace embd
