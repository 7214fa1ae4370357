#pragma once

#include <span>
#include <string>
#include <string_view>

namespace embd {

/// Returns the name in `names` that the author of `given` probably meant; empty if none is similar
/// enough. Similar names have at most one mistake for every three letters: a letter too many, a
/// missing one, a wrong one, or two letters swapped. Upper and lower case count as equal. Takes
/// time in the square of the number of letters, for each name.
std::string nearest_name(std::string_view given, std::span<const std::string> names);

/// Returns " (did you mean NAME?)" for the nearest name, to be appended to an error message; empty
/// if no name is near.
std::string did_you_mean(std::string_view given, std::span<const std::string> names);

}  // namespace embd
