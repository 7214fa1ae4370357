#include <array>

#include "base/checksum.h"

// CRC-32 without zlib.
namespace embd {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1U) ^ ((table[i] & 1U) * 0xEDB88320U);
  }
  return table;
}();

}  // namespace

std::uint32_t crc32(Bytes bytes, std::uint32_t seed) noexcept {
  std::uint32_t crc = ~seed;
  for (const std::byte b : bytes)
    crc = crc_table[(crc ^ std::to_integer<std::uint32_t>(b)) & 255U] ^ (crc >> 8U);
  return ~crc;
}

}  // namespace embd
