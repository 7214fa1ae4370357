#include "faces/cli/options/listed_options.h"

#include <fmt/format.h>

#include "base/decimal.h"

namespace embd::cli {

std::unexpected<Error> unexpected_value(const std::string& text, const std::string& expected) {
  return fail(ErrorCode::invalid_argument, "the value is \"{}\", expected {}", text, expected);
}

Result<std::uint64_t> parse_number(const std::string& text, std::uint64_t least,
                                   std::uint64_t greatest) {
  const auto number = plain_number(text);
  if (number && *number >= least && *number <= greatest) return *number;
  const bool is_open = greatest == UINT64_MAX && text.size() < 20;  // UINT64_MAX has 20 digits
  const std::string range = is_open ? fmt::format("of at least {}", least)
                                    : fmt::format("from {} to {}", least, greatest);
  return unexpected_value(text, "a whole number " + range);
}

Result<double> parse_real(const std::string& text, double least) {
  const auto number = decimal_of<double>(text);
  if (number && std::isfinite(*number) && *number >= least) return *number;
  const bool is_bounded = std::isfinite(least);
  return unexpected_value(text,
                          is_bounded ? fmt::format("a number of at least {}", least) : "a number");
}

Result<double> parse_seconds(const std::string& text) {
  constexpr double year = 365.0 * 24 * 60 * 60;
  const double seconds = EMBD_TRY(parse_real(text, 0));
  if (seconds <= year) return seconds;
  return unexpected_value(text, "at most a year");
}

Result<double> parse_positive_seconds(const std::string& text) {
  const double seconds = EMBD_TRY(parse_seconds(text));
  if (seconds > 0) return seconds;
  return unexpected_value(text, "more than 0 seconds");
}

Result<std::uint64_t> parse_bytes(const std::string& text) {
  constexpr std::pair<std::string_view, unsigned> units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  std::string digits = text;
  unsigned shift = 0;
  for (const auto& [unit, bits] : units) {
    if (!text.ends_with(unit)) continue;
    digits.resize(text.size() - unit.size());
    shift = bits;
  }
  if (const auto number = parse_number(digits, 0, UINT64_MAX >> shift)) return *number << shift;
  return unexpected_value(text, "bytes, such as 65536, 64KiB, 8MiB or 1GiB");
}

std::string dashed(std::string_view name) {
  std::string option = "--" + std::string(name);
  std::ranges::replace(option, '_', '-');
  return option;
}

Result<char> parse_character(const std::string& text) {
  if (const auto character = character_in(text)) return *character;
  return unexpected_value(text, "one character, or tab");
}

Result<InputPart> parse_part(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return unexpected_value(text, "I/N, such as 0/4");
  const std::uint64_t count = EMBD_TRY(parse_number(text.substr(slash + 1), 1, UINT64_MAX));
  const std::uint64_t index = EMBD_TRY(parse_number(text.substr(0, slash), 0, count - 1));
  return InputPart{index, count};
}

}  // namespace embd::cli
