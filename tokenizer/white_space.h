#pragma once

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

}  // namespace embd
