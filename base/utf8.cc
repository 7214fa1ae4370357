#include "base/utf8.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/try.h"

namespace embd {
namespace {

/// The state after some bytes: it determines which bytes may follow.
enum State : std::uint8_t {
  whole,     ///< no byte of a code point is missing
  one_more,  ///< this number of bytes of a code point is missing
  two_more,
  three_more,
  after_e0,  ///< a second byte that is not overlong, and one more
  after_ed,  ///< a second byte that makes no surrogate, and one more
  after_f0,  ///< a second byte that is not overlong, and two more
  after_f4,  ///< a second byte that makes no value over U+10FFFF, and two more
  malformed,
  num_states,
};

constexpr State after_lead(unsigned byte) {
  if (byte < 0x80) return whole;
  if (byte < 0xc2 || byte > 0xf4) return malformed;
  if (byte < 0xe0) return one_more;
  if (byte < 0xf0) return byte == 0xe0 ? after_e0 : byte == 0xed ? after_ed : two_more;
  return byte == 0xf0 ? after_f0 : byte == 0xf4 ? after_f4 : three_more;
}

constexpr State next_state(State state, unsigned byte) {
  const auto in = [byte](unsigned first, unsigned last, State next) {
    return byte >= first && byte <= last ? next : malformed;
  };
  switch (state) {
    case whole:
      return after_lead(byte);
    case one_more:
      return in(0x80, 0xbf, whole);
    case two_more:
      return in(0x80, 0xbf, one_more);
    case three_more:
      return in(0x80, 0xbf, two_more);
    case after_e0:
      return in(0xa0, 0xbf, one_more);
    case after_ed:
      return in(0x80, 0x9f, one_more);
    case after_f0:
      return in(0x90, 0xbf, two_more);
    case after_f4:
      return in(0x80, 0x8f, two_more);
    default:
      return malformed;
  }
}

constexpr unsigned state_bits = 6;
static_assert(num_states * state_bits <= 64, "a state is a place in 64 bits");

/// The transitions for each byte: for every state, the next state, stored at the bit position of
/// the state as the bit position of the next state. So reading a byte is a single shift, without a
/// branch that depends on the byte.
constexpr std::array<std::uint64_t, 256> transitions = [] {
  std::array<std::uint64_t, 256> all{};
  for (unsigned byte = 0; byte < all.size(); ++byte) {
    for (unsigned state = 0; state < num_states; ++state) {
      const std::uint64_t next = next_state(static_cast<State>(state), byte);
      all[byte] |= next * state_bits << (state * state_bits);
    }
  }
  return all;
}();

bool is_utf8(std::string_view text) noexcept {
  std::uint64_t place = whole;
  const auto step = [&place](char byte) {
    place = transitions[static_cast<std::uint8_t>(byte)] >> (place & 63U);
  };
  const auto is_at = [&place](State state) { return (place & 63U) == state * state_bits; };

  std::uint64_t eight;
  for (; text.size() >= sizeof(eight); text.remove_prefix(sizeof(eight))) {
    // Most text is ASCII.
    std::memcpy(&eight, text.data(), sizeof(eight));
    if ((eight & 0x8080808080808080U) == 0 && is_at(whole)) continue;
    for (const char byte : text.substr(0, sizeof(eight))) step(byte);
    if (is_at(malformed)) return false;
  }
  for (const char byte : text) step(byte);
  return is_at(whole);
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept {
  if (is_utf8(text)) return std::nullopt;
  std::size_t i = 0;
  while (i < text.size()) {
    utf8proc_int32_t code_point;
    const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + i,
                                       static_cast<utf8proc_ssize_t>(text.size() - i), &code_point);
    if (size < 0) break;
    i += static_cast<std::size_t>(size);
  }
  return i;
}

Result<void> require_utf8(std::string_view text) {
  const auto offset = find_invalid_utf8(text);
  if (!offset) return {};
  const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text[*offset]));
  return fail_at(*offset, ErrorCode::invalid_utf8, "byte {:#04x} is not part of valid UTF-8", byte);
}

std::size_t count_characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string_view first_characters(std::string_view text, std::size_t most) noexcept {
  std::size_t characters = 0;
  const auto is_behind = [&](char byte) { return begins_character(byte) && characters++ == most; };
  return {text.begin(), std::ranges::find_if(text, is_behind)};
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::string_view first = first_characters(text, most);
  return first.size() == text.size() ? std::string(text) : std::string(first) + "…";
}

std::string_view utf8_prefix(std::string_view text, std::size_t most_bytes) noexcept {
  if (text.size() <= most_bytes) return text;
  std::size_t bytes = most_bytes;
  while (bytes > 0 && !begins_character(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

void append_utf8(char32_t code_point, std::string& text) {
  if (code_point < 0x80) return text.push_back(static_cast<char>(code_point));
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

std::string_view trimmed(std::string_view text, std::string_view blanks) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string in_small_letters(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace embd
