#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace embd::wordpiece {

/// A normalized word of at most 16 bytes, in two registers and padded with zeros. Words contain no
/// zero byte, so the numbers identify the word.
struct ShortWord {
  static constexpr std::size_t max_size = 16;

  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const ShortWord&) const = default;
};

/// Makes a short word of a text of at most ShortWord::max_size bytes.
inline ShortWord short_word(std::string_view text) noexcept {
  ShortWord word;
  std::memcpy(&word, text.data(), text.size());
  return word;
}

/// The ASCII letters and digits at the beginning of a text.
struct AsciiWord {
  ShortWord word;    ///< the first `size` letters and digits
  std::size_t size;  ///< their number; if it is 16, more may follow
};

namespace internal {

/// Constants for eight bytes that are examined independently: the upper bit of each byte holds the
/// answer about it.
inline constexpr std::uint64_t every_byte = 0x0101010101010101U;
inline constexpr std::uint64_t upper_bits = 0x80 * every_byte;

/// Marks the bytes from `first` to `last`. All bytes must be below 0x80.
constexpr std::uint64_t in_range(std::uint64_t bytes, char first, char last) noexcept {
  const std::uint64_t at_least_first = bytes + (0x80U - static_cast<unsigned>(first)) * every_byte;
  const std::uint64_t over_last = bytes + (0x7fU - static_cast<unsigned>(last)) * every_byte;
  return at_least_first & ~over_last & upper_bits;
}

}  // namespace internal

/// Reads the letters and digits at the beginning of `text`, converted to lower case if `lower_case`
/// is true. Reads at most `remaining` bytes, which must be at least one.
inline AsciiWord read_ascii_word(const char* text, std::size_t remaining,
                                 bool lower_case) noexcept {
  using namespace internal;
  ShortWord bytes;
  std::memcpy(&bytes, text, remaining < sizeof(bytes) ? remaining : sizeof(bytes));

  // The word ends at the lowest byte marked in `ends`; `kept` is what lies before it.
  const auto scan = [lower_case](std::uint64_t eight, std::uint64_t& ends) {
    const std::uint64_t ascii = eight & ~upper_bits;
    const std::uint64_t letters = in_range(ascii | 0x20 * every_byte, 'a', 'z');
    const std::uint64_t digits = in_range(ascii, '0', '9');
    ends = (~(letters | digits) | eight) & upper_bits;
    const std::uint64_t kept = ((ends & -ends) >> 7) - 1;
    return (eight | (lower_case ? letters >> 2 : 0)) & kept;
  };
  std::uint64_t low_ends;
  std::uint64_t high_ends;
  bytes.low = scan(bytes.low, low_ends);
  bytes.high = scan(bytes.high, high_ends);
  if (low_ends != 0) {
    return {{bytes.low, 0}, static_cast<std::size_t>(std::countr_zero(low_ends)) / 8};
  }
  return {bytes, 8 + static_cast<std::size_t>(std::countr_zero(high_ends)) / 8};
}

}  // namespace embd::wordpiece
