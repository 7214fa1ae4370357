#include "formats/cvc/cvc_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/elements.h"
#include "base/half.h"

namespace embd::cvc {
namespace {

/// Two roundings, as in the reference implementation.
void decode_int8(Bytes stored, float min, float scale, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(std::to_integer<int>(stored[i])) * scale + min;
}

constexpr std::size_t block_values = 2048;

/// Calls `use` with all values as float32, some at a time.
void for_each_block(ElementType type, Bytes values, auto&& use) {
  std::array<float, block_values> block;
  const std::size_t size = dtype_bytes(type);
  while (!values.empty()) {
    const auto some = std::span(block).first(std::min(block.size(), values.size() / size));
    floats_from_elements(type, values.first(some.size() * size), some);
    use(std::span<const float>(some));
    values = values.subspan(some.size() * size);
  }
}

/// Floats in the order of their values, as integers: a loop over these needs no care for NaN, which
/// is beyond the infinities.
std::int32_t ordered(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits ^ (bits >> 31 & 0x7fffffff);
}
float from_ordered(std::int32_t key) {
  return std::bit_cast<float>(key ^ (key >> 31 & 0x7fffffff));
}

struct OrderedRange {
  std::int32_t min = std::numeric_limits<std::int32_t>::max();
  std::int32_t max = std::numeric_limits<std::int32_t>::min();
};

OrderedRange widened(OrderedRange range, std::span<const float> values) {
  for (const float value : values) {
    const std::int32_t key = ordered(value);
    range.min = key < range.min ? key : range.min;
    range.max = key > range.max ? key : range.max;
  }
  return range;
}

float first_zero(ElementType type, Bytes values) {
  float found = 1;
  for_each_block(type, values, [&](std::span<const float> block) {
    const auto zero = std::ranges::find(block, 0.0F);
    if (found != 0 && zero != block.end()) found = *zero;
  });
  return found;
}

/// The nearest integer's low byte, ties to even: adding 1.5 × 2^23 leaves it in the lowest bits.
/// Below 2^22, which (max - min) / scale is.
void round_to_codes(const Quantiser& quantiser, std::span<const float> values, std::byte* codes) {
  const Quantiser q = quantiser;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float steps = (values[i] - q.min) / q.scale;
    codes[i] = static_cast<std::byte>(std::bit_cast<std::uint32_t>(steps + 12582912.0F));
  }
}

}  // namespace

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
  for_each_block(type, values, [&](std::span<const float> block) {
    std::array<std::uint16_t, block_values> halves;
    halves_from_floats(block, std::span(halves).first(block.size()));
    const Bytes stored = std::as_bytes(std::span(halves).first(block.size()));
    std::ranges::copy(stored, out.begin());
    out = out.subspan(stored.size());
  });
}

Quantiser quantiser_of(ElementType type, Bytes values) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  OrderedRange range;
  for_each_block(type, values,
                 [&](std::span<const float> block) { range = widened(range, block); });
  if (range.min < ordered(-infinity) || range.max > ordered(infinity)) return {nan, nan};
  const float max = from_ordered(range.max);
  float min = from_ordered(range.min);
  if (min == 0) min = first_zero(type, values);
  return {min, max == min ? 1.0F : (max - min) / 255.0F};
}

void quantise(const Quantiser& quantiser, ElementType type, Bytes values,
              std::span<std::byte> codes) {
  if (!(quantiser.scale > 0) || std::isinf(quantiser.scale)) {
    std::ranges::fill(codes, std::byte{0});
    return;
  }
  std::byte* next = codes.data();
  for_each_block(type, values, [&](std::span<const float> block) {
    round_to_codes(quantiser, block, next);
    next += block.size();
  });
}

}  // namespace embd::cvc
