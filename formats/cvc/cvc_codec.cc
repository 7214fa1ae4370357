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

/// Calls `use` with all values as float32, some at a time.
void for_each_block(ElementType type, Bytes values, auto&& use) {
  std::array<float, 2048> block;
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

struct Range {
  float min;
  float max;
};

float first_zero(ElementType type, Bytes values) {
  float found = 1;
  for_each_block(type, values, [&](std::span<const float> block) {
    const auto zero = std::ranges::find(block, 0.0F);
    if (found != 0 && zero != block.end()) found = *zero;
  });
  return found;
}

/// NaN and NaN if any value is NaN.
Range range_of(ElementType type, Bytes values) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::int32_t min = std::numeric_limits<std::int32_t>::max();
  std::int32_t max = std::numeric_limits<std::int32_t>::min();
  for_each_block(type, values, [&](std::span<const float> block) {
    for (const float value : block) {
      const std::int32_t key = ordered(value);
      min = key < min ? key : min;
      max = key > max ? key : max;
    }
  });
  if (min < ordered(-infinity) || max > ordered(infinity)) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    return {nan, nan};
  }
  const Range range = {from_ordered(min), from_ordered(max)};
  return range.min == 0 ? Range{first_zero(type, values), range.max} : range;
}

Quantiser quantiser_of(Range range) {
  return {range.min, range.max == range.min ? 1.0F : (range.max - range.min) / 255.0F};
}

/// The nearest integer's low byte, ties to even: adding 1.5 × 2^23 leaves it in the lowest bits.
/// Below 2^22, which (max - min) / scale is.
std::byte code_of(float steps) {
  return static_cast<std::byte>(std::bit_cast<std::uint32_t>(steps + 12582912.0F));
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

void encode_fp16(ElementType type, Bytes values, std::span<std::uint16_t> out) {
  for_each_block(type, values, [&](std::span<const float> block) {
    halves_from_floats(block, out.first(block.size()));
    out = out.subspan(block.size());
  });
}

Quantiser quantise(ElementType type, Bytes values, std::span<std::byte> codes) {
  const Quantiser quantiser = quantiser_of(range_of(type, values));
  if (!(quantiser.scale > 0) || std::isinf(quantiser.scale)) {
    std::ranges::fill(codes, std::byte{0});
    return quantiser;
  }
  for_each_block(type, values, [&](std::span<const float> block) {
    for (std::size_t i = 0; i < block.size(); ++i)
      codes[i] = code_of((block[i] - quantiser.min) / quantiser.scale);
    codes = codes.subspan(block.size());
  });
  return quantiser;
}

}  // namespace embd::cvc
