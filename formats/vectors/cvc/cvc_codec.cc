#include "formats/vectors/cvc/cvc_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/elements.h"
#include "base/half.h"

namespace embd::cvc {
namespace {

/// Multiplies and adds with two roundings, as the reference implementation does.
void decode_int8(Bytes stored, float min, float scale, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(std::to_integer<int>(stored[i])) * scale + min;
}

constexpr std::size_t block_values = 2048;

/// Calls `use` with all values as float32, some at a time; without a copy if they are float32
/// already.
void for_each_block(ElementType type, Bytes values, auto&& use) {
  std::array<float, block_values> block;
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
    std::array<std::uint16_t, block_values> halves;
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
