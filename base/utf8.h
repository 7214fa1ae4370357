#pragma once

#include <cstddef>
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

/// Returns as many whole characters from the beginning of a text in UTF-8 as `most_bytes` bytes
/// hold.
std::string_view utf8_prefix(std::string_view text, std::size_t most_bytes) noexcept;

/// Appends a code point, at most U+10FFFF, in UTF-8.
void append_utf8(char32_t code_point, std::string& text);

/// Returns a text with the letters A to Z as small ones. Other characters stay as they are.
std::string in_small_letters(std::string_view text);

}  // namespace embd
