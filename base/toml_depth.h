#pragma once

#include <string_view>

#include "embd/error.h"

namespace embd {

/// Refuses TOML whose keys nest deeper than a parser's stack bears: toml++ bounds the nesting of
/// values, not that of dotted keys and table headers, and 100,000 levels end the process. To be
/// asked before toml++ sees text from a file. Errors: bad_toml with the line.
Result<void> check_toml_depth(std::string_view text);

}  // namespace embd
