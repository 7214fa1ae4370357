#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

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

/// Returns the whole number that `text` is, in decimal digits; nothing if it is more or less than
/// one, or one that `Whole` cannot hold. Only a signed type takes a sign, "-". Zeros may lead.
template <std::integral Whole>
std::optional<Whole> whole_number(std::string_view text) noexcept {
  Whole value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

/// Returns the number that std::to_string() writes as `text`, without a sign or leading zeros;
/// nothing if there is no such number.
inline std::optional<std::uint64_t> plain_number(std::string_view text) noexcept {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return whole_number<std::uint64_t>(text);
}

}  // namespace embd
