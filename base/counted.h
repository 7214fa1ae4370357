#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace embd {

/// Returns a number and what it counts, such as "1 row" or "2 rows". `noun` is the singular of a
/// word whose plural ends in s.
inline std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace embd
