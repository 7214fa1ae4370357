#pragma once

#include <string_view>

#include "embd/error.h"

namespace embd {

/// Refuses JSON whose arrays and objects nest deeper than any that is meant: nlohmann-json copies
/// and prints a value by recursion, and 100,000 levels end the process. To be asked before it sees
/// text from a file. Errors: bad_json with the offset in `text`.
Result<void> check_json_depth(std::string_view text);

}  // namespace embd
