#include "base/base64.h"

#include <array>
#include <cstdint>
#include <cstring>

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

/// The two digits of 12 bits.
constexpr std::array<std::array<char, 2>, 4096> pairs = [] {
  std::array<std::array<char, 2>, 4096> table = {};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = {digits[i >> 6], digits[i & 63]};
  return table;
}();

}  // namespace

void append_base64(Bytes bytes, std::string& out) {
  const std::size_t start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4, '=');
  char* at = out.data() + start;
  const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= 3; left -= 3, from += 3, at += 4) {
    const std::uint32_t bits = std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | from[2];
    std::memcpy(at, pairs[bits >> 12].data(), 2);
    std::memcpy(at + 2, pairs[bits & 4095].data(), 2);
  }
  if (left == 0) return;
  const std::uint32_t second = left == 2 ? from[1] : 0U;
  std::memcpy(at, pairs[std::uint32_t{from[0]} << 4 | second >> 4].data(), 2);
  if (left == 2) at[2] = digits[second << 2 & 63];
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  append_base64(as_bytes(bytes), text);
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
