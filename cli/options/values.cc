#include "cli/options/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

namespace embd::cli {

std::string display_name(const std::string& names) {
  const std::size_t comma = names.rfind(',');
  return comma == std::string::npos ? names : names.substr(comma + 1);
}

std::uint64_t parse_number(const std::string& name, const std::string& text, std::uint64_t least,
                           std::uint64_t greatest) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const bool is_plain = parsed.ptr == end && !text.empty() && (text.size() == 1 || text[0] != '0');
  if (parsed.ec == std::errc() && is_plain && number >= least && number <= greatest) return number;
  const std::string range = greatest == UINT64_MAX ? fmt::format("of at least {}", least)
                                                   : fmt::format("from {} to {}", least, greatest);
  throw CLI::ValidationError(name, fmt::format("\"{}\", expected a whole number {}", text, range));
}

double parse_real(const std::string& name, const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(number) && number >= 0)
    return number;
  throw CLI::ValidationError(name, fmt::format("\"{}\", expected a number of at least 0", text));
}

double parse_seconds(const std::string& name, const std::string& text) {
  constexpr double year = 365.0 * 24 * 60 * 60;
  const double seconds = parse_real(name, text);
  if (seconds <= year) return seconds;
  throw CLI::ValidationError(name, fmt::format("\"{}\", expected at most a year", text));
}

double parse_positive_seconds(const std::string& name, const std::string& text) {
  const double seconds = parse_seconds(name, text);
  if (seconds > 0) return seconds;
  throw CLI::ValidationError(name, fmt::format("\"{}\", expected more than 0 seconds", text));
}

std::uint64_t parse_bytes(const std::string& name, const std::string& text) {
  constexpr std::pair<std::string_view, unsigned> units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  std::string digits = text;
  unsigned shift = 0;
  for (const auto& [unit, bits] : units) {
    if (!text.ends_with(unit)) continue;
    digits.resize(text.size() - unit.size());
    shift = bits;
  }
  try {
    return parse_number(name, digits, 0, UINT64_MAX >> shift) << shift;
  } catch (const CLI::ValidationError&) {
    throw CLI::ValidationError(
        name, fmt::format("\"{}\", expected bytes, such as 65536, 64KiB, 8MiB or 1GiB", text));
  }
}

}  // namespace embd::cli
