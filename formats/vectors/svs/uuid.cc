#include "formats/vectors/svs/uuid.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/try.h"

namespace embd::svs {
namespace {

constexpr std::size_t text_size = 36;

bool is_hyphen_place(std::size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

}  // namespace

Result<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != text_size) {
    return fail(ErrorCode::bad_value, fmt::format("UUID \"{}\" has {} characters, expected {}",
                                                  text, text.size(), text_size));
  }
  Uuid uuid;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < text_size;) {
    if (is_hyphen_place(i)) {
      if (text[i] != '-')
        return fail(ErrorCode::bad_value,
                    fmt::format("UUID \"{}\" has no hyphen where one is expected", text));
      ++i;
      continue;
    }
    const char* end = text.data() + i + 2;
    const auto parsed = std::from_chars(text.data() + i, end, uuid.bytes[byte++], 16);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      return fail(
          ErrorCode::bad_value,
          fmt::format("UUID \"{}\" contains a character that is not a hexadecimal digit", text));
    }
    i += 2;
  }
  return uuid;
}

Uuid Uuid::from_stored(Bytes sixteen) noexcept {
  Uuid uuid;
  std::transform(sixteen.rbegin(), sixteen.rend(), uuid.bytes.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return uuid;
}

Uuid Uuid::from_digest(std::span<const std::byte, 32> sha256) noexcept {
  Uuid uuid;
  std::transform(sha256.begin(), sha256.begin() + 16, uuid.bytes.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0fU) | 0x40U);  // version 4
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3fU) | 0x80U);  // variant 1
  return uuid;
}

std::array<std::uint8_t, 16> Uuid::stored() const noexcept {
  std::array<std::uint8_t, 16> reversed;
  std::reverse_copy(bytes.begin(), bytes.end(), reversed.begin());
  return reversed;
}

std::string Uuid::text() const {
  std::string out;
  for (const std::uint8_t b : bytes) {
    if (is_hyphen_place(out.size())) out += '-';
    out += fmt::format("{:02x}", b);
  }
  return out;
}

}  // namespace embd::svs
