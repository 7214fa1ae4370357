#include "formats/vectors/parquet/hybrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/byte_reader.h"
#include "base/try.h"

namespace embd::parquet {
namespace {

constexpr std::string_view field = "a run";

Result<std::uint64_t> varint(ByteReader& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    const std::uint8_t byte = EMBD_TRY(in.u8(field));
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return fail(ErrorCode::bad_count,
              "a run of encoded numbers claims to have more than 2^63 numbers");
}

/// Reads a run: one number, `length` times, up to the number of values that are still wanted.
Result<void> read_run(ByteReader& in, unsigned width, std::uint64_t length, std::size_t count,
                      std::vector<std::uint32_t>& out) {
  std::uint32_t value = 0;
  for (unsigned byte = 0; byte < (width + 7) / 8; ++byte)
    value |= std::uint32_t{EMBD_TRY(in.u8(field))} << (8 * byte);
  out.insert(out.end(), std::min<std::uint64_t>(length, count - out.size()), value);
  return {};
}

/// Reads groups of eight numbers, packed from the lowest bit on. The last group may have more
/// numbers than are wanted.
Result<void> read_groups(ByteReader& in, unsigned width, std::uint64_t groups, std::size_t count,
                         std::vector<std::uint32_t>& out) {
  const std::uint64_t all = std::min<std::uint64_t>(groups, in.remaining());
  // A group takes `width` bytes. A writer may leave out unused bytes of the last group.
  const Bytes packed = EMBD_TRY(
      in.bytes(width == 0 ? 0 : std::min<std::uint64_t>(all * width, in.remaining()), field));
  std::uint64_t bits = 0;
  unsigned held = 0;
  std::size_t next = 0;
  const std::uint64_t wanted = std::min<std::uint64_t>(groups * 8, count - out.size());
  for (std::uint64_t i = 0; i < wanted; ++i) {
    while (held < width) {
      if (next == packed.size())
        return fail(ErrorCode::bad_count, "the data ends inside a run of packed numbers");
      bits |= std::uint64_t{static_cast<std::uint8_t>(packed[next++])} << held;
      held += 8;
    }
    out.push_back(static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << width) - 1)));
    bits >>= width;
    held -= width;
  }
  return {};
}

}  // namespace

Result<std::vector<std::uint32_t>> read_hybrid(Bytes bytes, unsigned width, std::size_t count) {
  ByteReader in(bytes);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(count);
  while (numbers.size() < count) {
    if (in.remaining() == 0)
      return fail(ErrorCode::bad_count,
                  fmt::format("the runs of a page have {} numbers together, expected {}",
                              numbers.size(), count));
    const std::uint64_t header = EMBD_TRY(varint(in));
    if (header >> 1 == 0)
      return fail(ErrorCode::bad_count,
                  "a run of encoded numbers is empty, expected at least one number");
    constexpr std::uint64_t most_groups = std::uint64_t{1} << 32;
    if ((header & 1) == 0) {
      EMBD_TRY(read_run(in, width, header >> 1, count, numbers));
    } else {
      EMBD_TRY(read_groups(in, width, std::min(header >> 1, most_groups), count, numbers));
    }
  }
  return numbers;
}

unsigned bits_for(std::uint32_t most) noexcept {
  return static_cast<unsigned>(std::bit_width(most));
}

}  // namespace embd::parquet
