#pragma once

#include <string_view>

#include "embd/error.h"

namespace embd {

/// Refuses TOML whose keys are nested so deeply that parsing would overflow the stack. toml++
/// limits the nesting of values, but not of dotted keys and table headers; 100,000 levels would end
/// the process. To be called before toml++ parses text from a file. Fails with bad_toml, with the
/// line.
Result<void> check_toml_depth(std::string_view text);

}  // namespace embd
