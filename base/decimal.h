#pragma once

#include <optional>
#include <string_view>

namespace embd {

/// Reads a decimal number at the beginning of [first, last), such as -1.5, +2, .5 or 1e-3; also nan
/// and inf, as C prints them. The number is rounded once, to `Float` (float or double): one that is
/// too small becomes a denormal number or 0. Returns the end of the number, or null if there is
/// none, or if it is too large. This function reads the numbers of all text formats.
template <class Float>
const char* parse_decimal(const char* first, const char* last, Float& value) noexcept;

/// Returns the number that `text` is; nothing if it is more or less than one decimal number.
template <class Float>
std::optional<Float> decimal_of(std::string_view text) noexcept {
  Float value = 0;
  const char* const end = text.data() + text.size();
  if (parse_decimal(text.data(), end, value) != end || text.empty()) return std::nullopt;
  return value;
}

}  // namespace embd
