#include "formats/vectors/cvc/cvc_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/elements.h"
#include "base/half.h"
#include "base/try.h"

namespace embd::cvc {
namespace {

/// The number of values that are decoded at a time. Their four planes stay in the first-level
/// cache.
constexpr std::size_t block_values = 1024;

using Block = std::array<std::uint8_t, block_values>;

constexpr std::uint64_t code_bytes(std::uint64_t count, unsigned bits) {
  return count / 8 * bits + (count % 8 * bits + 7) / 8;
}

/// Unpacks indices in groups of eight. Eight indices of `bits` bits are `bits` bytes; `codes`
/// begins with such a group.
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

/// Decodes a plane's bytes of `count` values, beginning with value `first`, a multiple of 8.
Result<void> decode_plane(const LosslessPlane& plane, std::uint64_t first, std::size_t count,
                          Block& out) {
  unpack_of_bits[plane.bits](plane.codes.subspan(first / 8 * plane.bits), count, out.data());
  const std::uint8_t largest = *std::max_element(out.begin(), out.begin() + count);
  if (largest >= plane.dictionary.size()) {
    return fail(ErrorCode::bad_value,
                "the compressed data refers to entry {} of a dictionary, but the "
                "dictionary has {} entries, counted from 0",
                largest, plane.dictionary.size());
  }
  for (std::size_t i = 0; i < count; ++i)
    out[i] = std::to_integer<std::uint8_t>(plane.dictionary[out[i]]);
  return {};
}

/// The byte values of a plane in ascending order, and the index of each.
struct Dictionary {
  unsigned size = 0;
  std::array<std::byte, 256> bytes;
  std::array<std::uint8_t, 256> index_of;
};

std::array<Dictionary, 4> dictionaries_of(Bytes values) {
  std::array<std::array<bool, 256>, 4> seen = {};
  for (std::size_t i = 0; i < values.size(); i += 4)
    for (std::size_t p = 0; p < 4; ++p) seen[p][std::to_integer<std::size_t>(values[i + p])] = true;
  std::array<Dictionary, 4> dictionaries;
  for (std::size_t p = 0; p < 4; ++p) {
    Dictionary& dictionary = dictionaries[p];
    for (unsigned b = 0; b < 256; ++b) {
      if (!seen[p][b]) continue;
      dictionary.index_of[b] = static_cast<std::uint8_t>(dictionary.size);
      dictionary.bytes[dictionary.size++] = static_cast<std::byte>(b);
    }
  }
  return dictionaries;
}

/// Packs the indices of plane `p`, most significant bit first.
template <unsigned bits>
void pack_groups(Bytes values, std::size_t p, const Dictionary& dictionary, std::byte* out) {
  const std::byte* byte = values.data() + p;
  const std::size_t count = values.size() / 4;
  const auto index = [&](std::size_t i) -> std::uint64_t {
    return dictionary.index_of[std::to_integer<std::size_t>(byte[4 * i])];
  };
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8, out += bits) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8; ++k) word = word << bits | index(i + k);
    word = std::byteswap(word << (64 - 8 * bits));
    std::memcpy(out, &word, bits);
  }
  std::uint64_t word = 0;
  const std::size_t rest = count - i;
  if (rest == 0) return;
  for (std::size_t k = 0; k < rest; ++k) word = word << bits | index(i + k);
  word = std::byteswap(word << (64 - rest * bits));
  std::memcpy(out, &word, (rest * bits + 7) / 8);
}

using Pack = void (*)(Bytes values, std::size_t p, const Dictionary& dictionary, std::byte* out);
constexpr std::array<Pack, 9> pack_of_bits = {nullptr,        pack_groups<1>, pack_groups<2>,
                                              pack_groups<3>, pack_groups<4>, pack_groups<5>,
                                              pack_groups<6>, pack_groups<7>, pack_groups<8>};

/// Multiplies and adds with two roundings, as the reference implementation does.
void decode_int8(Bytes stored, float min, float scale, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(std::to_integer<int>(stored[i])) * scale + min;
}

constexpr std::size_t values_at_once = 2048;

/// Calls `use` with all values as float32, some at a time; without a copy if they are float32
/// already.
void for_each_block(ElementType type, Bytes values, auto&& use) {
  std::array<float, values_at_once> block;
  const std::size_t size = dtype_bytes(type);
  const bool in_place = type == ElementType::f32 &&
                        reinterpret_cast<std::uintptr_t>(values.data()) % alignof(float) == 0;
  while (!values.empty()) {
    const std::size_t count = std::min(block.size(), values.size() / size);
    if (in_place) {
      use(std::span(reinterpret_cast<const float*>(values.data()), count));
    } else {
      const auto some = std::span(block).first(count);
      floats_from_elements(type, values.first(count * size), some);
      use(std::span<const float>(some));
    }
    values = values.subspan(count * size);
  }
}

/// The smallest and the greatest value, without NaN, which cannot be compared.
struct Range {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  bool has_nan = false;

  void widen(std::span<const float> values) {
    // With this many partial ranges, the compiler can use vector registers of any width.
    constexpr std::size_t lanes = 32;
    std::array<float, lanes> least;
    std::array<float, lanes> greatest;
    std::array<std::int32_t, lanes> nans = {};
    least.fill(min);
    greatest.fill(max);
    const auto add = [&](std::size_t lane, float value) {
      least[lane] = value < least[lane] ? value : least[lane];
      greatest[lane] = value > greatest[lane] ? value : greatest[lane];
      nans[lane] |= value != value ? 1 : 0;
    };
    for (; values.size() >= lanes; values = values.subspan(lanes))
      for (std::size_t i = 0; i < lanes; ++i) add(i, values[i]);
    for (std::size_t i = 0; i < values.size(); ++i) add(i, values[i]);
    min = std::ranges::min(least);
    max = std::ranges::max(greatest);
    has_nan = has_nan || std::ranges::count(nans, 0) != lanes;
  }
};

float first_zero(ElementType type, Bytes values) {
  float found = 1;
  for_each_block(type, values, [&](std::span<const float> block) {
    const auto zero = std::ranges::find(block, 0.0F);
    if (found != 0 && zero != block.end()) found = *zero;
  });
  return found;
}

/// Rounds to the nearest integer, ties to even, and keeps its lowest byte. Adding 1.5 × 2^23 leaves
/// the integer in the lowest bits. The value must be below 2^22, which (max - min) / scale is.
void round_to_codes(const Quantizer& quantizer, std::span<const float> values, std::byte* codes) {
  const Quantizer q = quantizer;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float steps = (values[i] - q.min) / q.scale;
    codes[i] = static_cast<std::byte>(std::bit_cast<std::uint32_t>(steps + 12582912.0F));
  }
}

}  // namespace

Result<LosslessPlanes> split_lossless(Bytes payload, std::uint64_t count, std::uint64_t offset) {
  ByteReader reader(payload, offset);
  const std::uint32_t stored = EMBD_TRY(reader.u32("lossless value count"));
  if (stored != count) {
    return fail_at(offset, ErrorCode::bad_count, "the compressed data has {} values, expected {}",
                   stored, count);
  }
  LosslessPlanes planes;
  for (LosslessPlane& plane : planes) {
    plane.bits = EMBD_TRY(reader.u8("lossless index width"));
    if (plane.bits < 1 || plane.bits > 8) {
      return fail_at(reader.offset() - 1, ErrorCode::bad_value,
                     "an index of the compressed data takes {} bits, expected 1 to 8", plane.bits);
    }
  }
  for (LosslessPlane& plane : planes) {
    const std::uint16_t size = EMBD_TRY(reader.u16("lossless dictionary size"));
    if (size > 256) {
      return fail_at(reader.offset() - 2, ErrorCode::bad_count,
                     "the dictionary of the compressed data has {} entries, expected at most 256",
                     size);
    }
    plane.dictionary = EMBD_TRY(reader.bytes(size, "lossless dictionary"));
    plane.codes = EMBD_TRY(reader.bytes(code_bytes(count, plane.bits), "lossless indices"));
  }
  if (reader.remaining() != 0) {
    return fail_at(reader.offset(), ErrorCode::trailing_bytes,
                   "{} bytes follow the compressed data, expected none", reader.remaining());
  }
  return planes;
}

std::vector<std::byte> encode_lossless(Bytes values) {
  const std::uint64_t count = values.size() / 4;
  const auto dictionaries = dictionaries_of(values);
  std::vector<std::byte> out;
  out.reserve(values.size() + max_lossless_overhead);
  out.resize(4 + 4);
  const auto count32 = static_cast<std::uint32_t>(count);
  std::memcpy(out.data(), &count32, 4);
  for (std::size_t p = 0; p < 4; ++p) {
    const Dictionary& dictionary = dictionaries[p];
    const unsigned bits = std::max(
        1U, static_cast<unsigned>(std::bit_width(std::max<unsigned>(dictionary.size, 1) - 1)));
    out[4 + p] = std::byte(bits);
    out.push_back(std::byte(dictionary.size & 0xff));
    out.push_back(std::byte(dictionary.size >> 8));
    out.insert(out.end(), dictionary.bytes.begin(), dictionary.bytes.begin() + dictionary.size);
    const std::size_t codes = out.size();
    out.resize(codes + code_bytes(count, bits));
    pack_of_bits[bits](values, p, dictionary, out.data() + codes);
  }
  return out;
}

Result<void> decode_lossless(const LosslessPlanes& planes, std::uint64_t first,
                             std::span<float> out) {
  std::array<Block, 4> bytes;
  while (!out.empty()) {
    const std::size_t skipped = first % 8;  // Groups of 8 indices begin at whole bytes.
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

void decode_values(const Slice& slice, ElementType type, Bytes stored, std::span<float> out) {
  switch (slice.encoding) {
    case Encoding::fp16:
      return floats_from_elements(ElementType::f16, stored, out);
    case Encoding::int8:
      return decode_int8(stored, slice.min, slice.scale, out);
    default:
      return floats_from_elements(type, stored, out);
  }
}

void encode_fp16(ElementType type, Bytes values, std::span<std::byte> out) {
  if (type == ElementType::f16) {  // Copies the bits, also of NaN.
    std::ranges::copy(values, out.begin());
    return;
  }
  for_each_block(type, values, [&](std::span<const float> block) {
    std::array<std::uint16_t, values_at_once> halves;
    halves_from_floats(block, std::span(halves).first(block.size()));
    const Bytes stored = std::as_bytes(std::span(halves).first(block.size()));
    std::ranges::copy(stored, out.begin());
    out = out.subspan(stored.size());
  });
}

Quantizer quantizer_of(ElementType type, Bytes values) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  Range range;
  for_each_block(type, values, [&](std::span<const float> block) { range.widen(block); });
  if (range.has_nan) return {nan, nan};
  float min = range.min;
  if (min == 0) min = first_zero(type, values);
  return {min, range.max == min ? 1.0F : (range.max - min) / 255.0F};
}

void quantize(const Quantizer& quantizer, ElementType type, Bytes values,
              std::span<std::byte> codes) {
  if (!(quantizer.scale > 0) || std::isinf(quantizer.scale)) {
    std::ranges::fill(codes, std::byte{0});
    return;
  }
  std::byte* next = codes.data();
  for_each_block(type, values, [&](std::span<const float> block) {
    round_to_codes(quantizer, block, next);
    next += block.size();
  });
}

}  // namespace embd::cvc
