#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "embd/error.h"

namespace embd {

/// The bytes with which some programs begin a file in UTF-8. They are no part of its text.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Returns the offset of the first byte that is not part of well-formed UTF-8; nothing if the text
/// is valid. Overlong forms, surrogates and values above U+10FFFF are not well-formed.
std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept;

/// Fails with invalid_utf8 and the offset of the first invalid byte, if there is one.
Result<void> require_utf8(std::string_view text);

/// Returns true for a byte that begins a character in UTF-8: every byte but those that continue
/// one.
constexpr bool begins_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// Returns the number of characters in a text in UTF-8.
std::size_t count_characters(std::string_view text) noexcept;

/// Returns the first `most` characters of a text in UTF-8; the whole text if it has no more.
std::string_view first_characters(std::string_view text, std::size_t most) noexcept;

/// Returns the first `most` characters of a text in UTF-8, with "…" behind them if there are more.
std::string shortened(std::string_view text, std::size_t most);

/// Returns as many whole characters from the beginning of a text in UTF-8 as `most_bytes` bytes
/// hold.
std::string_view utf8_prefix(std::string_view text, std::size_t most_bytes) noexcept;

/// Appends a code point, at most U+10FFFF, in UTF-8.
void append_utf8(char32_t code_point, std::string& text);

// Characters of ASCII, in every locale. All other bytes are none of them.

constexpr bool is_ascii_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_ascii_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
constexpr bool is_ascii_alphanumeric(char c) noexcept {
  return is_ascii_letter(c) || is_ascii_digit(c);
}

/// Returns a text without the characters of `blanks` at its beginning and its end.
std::string_view trimmed(std::string_view text, std::string_view blanks) noexcept;

/// Returns a text with the letters A to Z as small ones. Other characters stay as they are.
std::string in_small_letters(std::string_view text);

struct DecodedCodePoint {
  char32_t code_point;
  std::size_t size;  ///< bytes it took, at least 1
};

namespace internal {

/// Returns the number of bytes at `text` that form one malformed part: bytes that could begin a
/// code point, or a single byte that could not. Unicode calls this the maximal subpart; Python
/// replaces it as a whole.
inline std::size_t malformed_size(const char* text, const char* end) noexcept {
  const auto byte = [text](std::ptrdiff_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0xc2 || lead > 0xf4 || end - text < 2) return 1;
  const std::uint8_t first = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const std::uint8_t last = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < first || byte(1) > last) return 1;
  // A sequence of three bytes would be complete, unless it begins a longer one.
  return lead >= 0xf0 && end - text > 2 && (byte(2) & 0xc0U) == 0x80U ? 3 : 2;
}

}  // namespace internal

/// Returns the code point at `text`, which must have at least one byte before `end`. A part that is
/// not UTF-8 (overlong forms, surrogates, values above U+10FFFF, incomplete sequences) gives one
/// U+FFFD.
inline DecodedCodePoint decode_utf8(const char* text, const char* end) noexcept {
  const auto byte = [text](std::ptrdiff_t i) {
    return static_cast<char32_t>(static_cast<std::uint8_t>(text[i]));
  };
  const auto continues = [&](std::ptrdiff_t i) {
    return i < end - text && (byte(i) & 0xc0U) == 0x80U;
  };
  const auto payload = [&](std::ptrdiff_t i) { return byte(i) & 0x3fU; };

  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xe0) {
    if (lead >= 0xc2 && continues(1)) return {(lead & 0x1fU) << 6 | payload(1), 2};
  } else if (lead < 0xf0) {
    if (continues(1) && continues(2)) {
      const char32_t c = (lead & 0x0fU) << 12 | payload(1) << 6 | payload(2);
      if (c >= 0x800 && (c < 0xd800 || c > 0xdfff)) return {c, 3};
    }
  } else if (lead < 0xf5) {
    if (continues(1) && continues(2) && continues(3)) {
      const char32_t c = (lead & 0x07U) << 18 | payload(1) << 12 | payload(2) << 6 | payload(3);
      if (c >= 0x10000 && c <= 0x10ffff) return {c, 4};
    }
  }
  return {0xfffd, internal::malformed_size(text, end)};
}

}  // namespace embd
