#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "tokenizer/unicode_class_table.h"

namespace embd {

/// Returns true if a code point has the property White_Space, by which `tokenizers` divides words
/// and strips texts. There are 25 such code points; U+200B is not among them.
constexpr bool is_white_space(char32_t c) noexcept {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  switch (c) {
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
      return true;
    default:
      return c >= 0x2000 && c <= 0x200a;
  }
}

/// The classes of code points by which regular expressions of `tokenizers` split texts.
enum class UnicodeClass : std::uint8_t {
  other,
  white_space,  ///< White_Space, the class \s
  letter,       ///< L, the class \p{L}
  number,       ///< N, the class \p{N}
};

namespace internal {

/// Returns the last run that begins at a code point or before it.
constexpr std::uint32_t unicode_class_run(char32_t c) noexcept {
  constexpr std::uint32_t all_classes = 7;
  return *std::prev(std::ranges::upper_bound(unicode_class_runs,
                                             static_cast<std::uint32_t>(c) << 3 | all_classes));
}

}  // namespace internal

/// Returns the class of a code point in Unicode 16.
constexpr UnicodeClass unicode_class(char32_t c) noexcept {
  return static_cast<UnicodeClass>(internal::unicode_class_run(c) & 3U);
}

/// Returns true if a code point is one of \w in Unicode 16: letters, marks, digits, connectors.
constexpr bool is_word_character(char32_t c) noexcept {
  return (internal::unicode_class_run(c) & 4U) != 0;
}

}  // namespace embd
