#pragma once

#include <span>
#include <string>
#include <string_view>

namespace embd {

/// The one of `names` that somebody who wrote `given` probably meant: as good as the same letters,
/// with a mistake for every three of them at most (a letter too many, missing, another, or two that
/// changed places). Upper and lower case count as one. Empty if none is that near. O(letters²) a
/// name.
std::string nearest_name(std::string_view given, std::span<const std::string> names);

/// For a message about `given`: " (did you mean embed?)", or nothing where none is near.
std::string did_you_mean(std::string_view given, std::span<const std::string> names);

}  // namespace embd
