#include "cli/options/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

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
  throw CLI::ValidationError(
      name, fmt::format("\"{}\", expected a whole number from {} to {}", text, least, greatest));
}

double parse_real(const std::string& name, const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(number) && number >= 0)
    return number;
  throw CLI::ValidationError(name, fmt::format("\"{}\", expected a number of at least 0", text));
}

}  // namespace embd::cli
