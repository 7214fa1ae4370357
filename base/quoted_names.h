#pragma once

#include <string>
#include <vector>

namespace embd {

/// Returns a list of names for an error message about a missing one: `"id", "title", …`. Only the
/// first few are listed, because there may be any number.
std::string quoted_names(const std::vector<std::string>& names);

}  // namespace embd
