#pragma once

#include <string>

#include "base/bytes.h"

namespace embd {

/// Returns bytes as lower-case hex digits, two for each byte.
inline std::string to_hex(Bytes bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte b : bytes) {
    text += digits[std::to_integer<unsigned>(b >> 4)];
    text += digits[std::to_integer<unsigned>(b & std::byte{15})];
  }
  return text;
}

}  // namespace embd
