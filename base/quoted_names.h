#pragma once

#include <string>
#include <vector>

namespace embd {

/// The names that a row has, for an error about one that it has not: `"id", "title", …`, a few at
/// most, for the rows are anybody's.
std::string quoted_names(const std::vector<std::string>& names);

}  // namespace embd
