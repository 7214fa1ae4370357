#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace embd {

/// Returns a number and what it counts, such as "1 row" or "2 rows". `noun` is the singular of a
/// word whose plural ends in s.
inline std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Returns a list of names for an error message about a missing one: `"id", "title", …`. Only the
/// first few are listed, because there may be any number.
std::string quoted_names(const std::vector<std::string>& names);

/// Returns the name in `names` that the author of `given` probably meant; empty if none is similar
/// enough. Similar names have at most one mistake for every three letters: a letter too many, a
/// missing one, a wrong one, or two letters swapped. Upper and lower case count as equal. Takes
/// time in the square of the number of letters, for each name.
std::string nearest_name(std::string_view given, std::span<const std::string> names);

/// Returns " (did you mean NAME?)" for the nearest name, to be appended to an error message; empty
/// if no name is near.
std::string did_you_mean(std::string_view given, std::span<const std::string> names);

}  // namespace embd
