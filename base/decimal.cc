#include "base/decimal.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace embd {
namespace {

/// Returns true if the number in `text`, which is not 0 and has no sign, is below 1.
bool is_below_one(std::string_view text) noexcept {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  std::int64_t exponent = 0;
  if (e < text.size()) {
    const std::string_view power = text.substr(e + (text.substr(e + 1).starts_with('+') ? 2 : 1));
    const auto parsed = std::from_chars(power.data(), power.data() + power.size(), exponent);
    // An exponent of more than 64 bits outweighs any digits.
    if (parsed.ec != std::errc()) return power.starts_with('-');
  }
  return point - first + exponent <= 0;
}

}  // namespace

template <class Float>
const char* parse_decimal(const char* first, const char* last, Float& value) noexcept {
  if (first != last && *first == '+') {
    ++first;
    if (first != last && *first == '-') return nullptr;
  }
  const auto [end, code] = std::from_chars(first, last, value);
  if (code == std::errc()) return end;
  if (code != std::errc::result_out_of_range) return nullptr;
  const bool is_negative = *first == '-';
  if (!is_below_one({first + (is_negative ? 1 : 0), end})) return nullptr;
  value = is_negative ? Float(-0.0) : Float(0);
  return end;
}

template const char* parse_decimal(const char* first, const char* last, float& value) noexcept;
template const char* parse_decimal(const char* first, const char* last, double& value) noexcept;

}  // namespace embd
