#include "base/base64.h"

#include <array>
#include <cstdint>

namespace embd {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> values = [] {
  std::array<std::uint8_t, 256> table;
  table.fill(no_digit);
  for (std::size_t i = 0; i < digits.size(); ++i)
    table[static_cast<std::uint8_t>(digits[i])] = static_cast<std::uint8_t>(i);
  return table;
}();

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (j < group.size() ? static_cast<std::uint8_t>(group[j]) : 0);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= group.size() ? digits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int num_bits = 0;
  for (const char c : text) {
    const std::uint8_t value = values[static_cast<std::uint8_t>(c)];
    if (value == no_digit) return std::nullopt;
    bits = bits << 6 | value;
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    bytes += static_cast<char>(bits >> num_bits);
  }
  return bytes;
}

}  // namespace embd
