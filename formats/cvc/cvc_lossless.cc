#include "formats/cvc/cvc_lossless.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/byte_reader.h"
#include "base/try.h"

namespace embd::cvc {
namespace {

/// Values decoded at a time: four planes of them stay in the first cache.
constexpr std::size_t block_values = 1024;

using Block = std::array<std::uint8_t, block_values>;

constexpr std::uint64_t code_bytes(std::uint64_t count, unsigned bits) {
  return count / 8 * bits + (count % 8 * bits + 7) / 8;
}

/// Eight indices of `bits` bits are `bits` bytes. `codes` begins at such a group.
template <unsigned bits>
void unpack_groups(Bytes codes, std::size_t count, std::uint8_t* out) {
  constexpr std::uint64_t mask = (1U << bits) - 1;
  for (std::size_t i = 0; i < count;
       i += 8, codes = codes.subspan(std::min<std::size_t>(bits, codes.size()))) {
    std::array<std::byte, 8> group = {};
    std::memcpy(group.data(), codes.data(), std::min<std::size_t>(bits, codes.size()));
    const std::uint64_t word = std::byteswap(std::bit_cast<std::uint64_t>(group));
    for (unsigned k = 0; k < 8; ++k)
      out[i + k] = static_cast<std::uint8_t>(word >> (64 - bits * (k + 1)) & mask);
  }
}

using Unpack = void (*)(Bytes codes, std::size_t count, std::uint8_t* out);
constexpr std::array<Unpack, 9> unpack_of_bits = {
    nullptr,          unpack_groups<1>, unpack_groups<2>, unpack_groups<3>, unpack_groups<4>,
    unpack_groups<5>, unpack_groups<6>, unpack_groups<7>, unpack_groups<8>};

/// Byte values of `count` values from `first`, a multiple of 8, on.
Result<void> decode_plane(const LosslessPlane& plane, std::uint64_t first, std::size_t count,
                          Block& out) {
  unpack_of_bits[plane.bits](plane.codes.subspan(first / 8 * plane.bits), count, out.data());
  const std::uint8_t largest = *std::max_element(out.begin(), out.begin() + count);
  if (largest >= plane.dictionary.size()) {
    return fail(ErrorCode::bad_value, fmt::format("index {} into a dictionary of {} byte values",
                                                  largest, plane.dictionary.size()));
  }
  for (std::size_t i = 0; i < count; ++i)
    out[i] = std::to_integer<std::uint8_t>(plane.dictionary[out[i]]);
  return {};
}

}  // namespace

Result<LosslessPlanes> split_lossless(Bytes payload, std::uint64_t count, std::uint64_t offset) {
  ByteReader reader(payload, offset);
  const std::uint32_t stored = EMBD_TRY(reader.u32("lossless value count"));
  if (stored != count) {
    return std::unexpected(
        Error(ErrorCode::bad_count,
              fmt::format("lossless payload of {} values, expected {}", stored, count))
            .at_offset(offset));
  }
  LosslessPlanes planes;
  for (LosslessPlane& plane : planes) {
    plane.bits = EMBD_TRY(reader.u8("lossless index width"));
    if (plane.bits < 1 || plane.bits > 8) {
      return std::unexpected(
          Error(ErrorCode::bad_value,
                fmt::format("lossless index width {}, expected 1 to 8", plane.bits))
              .at_offset(reader.offset() - 1));
    }
  }
  for (LosslessPlane& plane : planes) {
    const std::uint16_t size = EMBD_TRY(reader.u16("lossless dictionary size"));
    if (size > 256) {
      return std::unexpected(
          Error(ErrorCode::bad_count,
                fmt::format("lossless dictionary of {} byte values, expected at most 256", size))
              .at_offset(reader.offset() - 2));
    }
    plane.dictionary = EMBD_TRY(reader.bytes(size, "lossless dictionary"));
    plane.codes = EMBD_TRY(reader.bytes(code_bytes(count, plane.bits), "lossless indices"));
  }
  if (reader.remaining() != 0) {
    return std::unexpected(
        Error(ErrorCode::trailing_bytes,
              fmt::format("{} bytes after the lossless planes", reader.remaining()))
            .at_offset(reader.offset()));
  }
  return planes;
}

Result<void> decode_lossless(const LosslessPlanes& planes, std::uint64_t first,
                             std::span<float> out) {
  std::array<Block, 4> bytes;
  while (!out.empty()) {
    const std::size_t skipped = first % 8;  // groups of 8 indices begin on whole bytes
    const std::size_t count = std::min(out.size(), block_values - skipped);
    for (std::size_t p = 0; p < planes.size(); ++p)
      EMBD_TRY(decode_plane(planes[p], first - skipped, skipped + count, bytes[p]));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = skipped + i;
      out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bytes[0][k]) |
                                    static_cast<std::uint32_t>(bytes[1][k]) << 8 |
                                    static_cast<std::uint32_t>(bytes[2][k]) << 16 |
                                    static_cast<std::uint32_t>(bytes[3][k]) << 24);
    }
    first += count;
    out = out.subspan(count);
  }
  return {};
}

}  // namespace embd::cvc
