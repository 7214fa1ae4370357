#include "formats/vectors/usearch/usearch_scalar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"

namespace embd::usearch {
namespace {

/// A float of at most eight bits: sign, exponent and mantissa, right-aligned in a byte.
struct SmallFloat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  /// The first code (without sign) that is infinity or NaN.
  int first_special;
  bool has_infinity;
  std::uint8_t nan;
};
constexpr SmallFloat e5m2_kind = {5, 2, 15, 0x7c, true, 0x7d};
constexpr SmallFloat e4m3_kind = {4, 3, 7, 0x7f, false, 0x7f};
// These types have no infinity or NaN. A NaN is stored as the largest value.
constexpr SmallFloat e3m2_kind = {3, 2, 3, 0x20, false, 0x1f};
constexpr SmallFloat e2m3_kind = {2, 3, 1, 0x20, false, 0x1f};

constexpr const SmallFloat& small_float(ElementType type) noexcept {
  switch (type) {
    case ElementType::e5m2:
      return e5m2_kind;
    case ElementType::e4m3:
      return e4m3_kind;
    case ElementType::e3m2:
      return e3m2_kind;
    default:
      return e2m3_kind;
  }
}

constexpr int sign_bit(const SmallFloat& f) noexcept {
  return 1 << (f.exponent_bits + f.mantissa_bits);
}

float decode(const SmallFloat& f, std::uint8_t code) noexcept {
  const int magnitude = code & (sign_bit(f) - 1);
  const bool negative = (code & sign_bit(f)) != 0;
  float value = 0;
  if (magnitude >= f.first_special) {
    value = f.has_infinity && magnitude == f.first_special
                ? std::numeric_limits<float>::infinity()
                : std::numeric_limits<float>::quiet_NaN();
  } else {
    const int exponent = magnitude >> f.mantissa_bits;
    const int mantissa = magnitude & ((1 << f.mantissa_bits) - 1);
    value = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), 1 - f.bias - f.mantissa_bits)
                          : std::ldexp(static_cast<float>(mantissa + (1 << f.mantissa_bits)),
                                       exponent - f.bias - f.mantissa_bits);
  }
  return negative ? -value : value;
}

std::uint8_t encode(const SmallFloat& f, float value) noexcept {
  if (std::isnan(value)) return f.nan;
  const int sign = std::signbit(value) ? sign_bit(f) : 0;
  const float magnitude = std::fabs(value);
  if (magnitude == 0) return static_cast<std::uint8_t>(sign);
  const int largest = f.first_special - 1;
  const int overflow = f.has_infinity ? f.first_special : largest;
  // Limits the value to one step above the largest one. Values beyond that are handled after
  // rounding.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - f.bias);
  if (std::isinf(magnitude) || exponent > (1 << f.exponent_bits) - f.bias) {
    return static_cast<std::uint8_t>(sign | overflow);
  }
  // Rounds to steps of the value's binade, ties to even (the default rounding mode). A carry gives
  // the next code, which is in the next binade.
  const auto steps =
      static_cast<int>(std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent)));
  const int code = ((exponent + f.bias - 1) << f.mantissa_bits) + steps;
  return static_cast<std::uint8_t>(sign | (code > largest ? overflow : code));
}

using Values = std::array<float, 256>;

Values all_values(const SmallFloat& f) noexcept {
  Values values{};
  for (int code = 0; code < 256; ++code) {
    values[static_cast<std::size_t>(code)] = decode(f, static_cast<std::uint8_t>(code));
  }
  return values;
}

template <class Integer>
void encode_direction(std::span<const float> row, double length, double smallest,
                      std::byte* out) noexcept {
  double squares = 0;
  for (const float v : row) squares += static_cast<double>(v) * v;
  const double norm = std::sqrt(squares);
  const bool usable = norm > 0 && std::isfinite(norm);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double scaled = usable ? static_cast<double>(row[i]) * length / norm : 0;
    out[i] = static_cast<std::byte>(
        static_cast<Integer>(std::trunc(std::clamp(scaled, smallest, length))));
  }
}

template <class T>
T at(const std::byte* row, std::size_t i) noexcept {
  T value;
  std::memcpy(&value, row + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void put(std::byte* row, std::size_t i, T value) noexcept {
  std::memcpy(row + i * sizeof(T), &value, sizeof(T));
}

}  // namespace

bool is_scalar(ElementType type) noexcept {
  switch (type) {
    case ElementType::f32:
    case ElementType::f64:
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::b1:
    case ElementType::e5m2:
    case ElementType::e4m3:
    case ElementType::e3m2:
    case ElementType::e2m3:
      return true;
    default:
      return false;
  }
}

std::uint64_t row_bytes(ElementType type, std::uint64_t dim) noexcept {
  switch (type) {
    case ElementType::b1:
      return dim / 8 + (dim % 8 != 0);
    case ElementType::f64:
      return dim * 8;
    case ElementType::f32:
      return dim * 4;
    case ElementType::f16:
    case ElementType::bf16:
      return dim * 2;
    default:
      return dim;
  }
}

const float* small_float_values(ElementType type) noexcept {
  static const Values e5m2 = all_values(e5m2_kind);
  static const Values e4m3 = all_values(e4m3_kind);
  static const Values e3m2 = all_values(e3m2_kind);
  static const Values e2m3 = all_values(e2m3_kind);
  switch (type) {
    case ElementType::e5m2:
      return e5m2.data();
    case ElementType::e4m3:
      return e4m3.data();
    case ElementType::e3m2:
      return e3m2.data();
    default:
      return e2m3.data();
  }
}

void encode_row(ElementType type, std::span<const float> row, std::byte* out) noexcept {
  switch (type) {
    case ElementType::f32:
      std::memcpy(out, row.data(), row.size_bytes());
      return;
    case ElementType::f64:
      for (std::size_t i = 0; i < row.size(); ++i) put(out, i, static_cast<double>(row[i]));
      return;
    case ElementType::f16:
      for (std::size_t i = 0; i < row.size(); ++i) put(out, i, half_from_float(row[i]));
      return;
    case ElementType::bf16:
      for (std::size_t i = 0; i < row.size(); ++i) put(out, i, bfloat16_from_float(row[i]));
      return;
    case ElementType::i8:
      encode_direction<std::int8_t>(row, 127, -127, out);
      return;
    case ElementType::u8:
      encode_direction<std::uint8_t>(row, 255, 0, out);
      return;
    case ElementType::b1:
      std::memset(out, 0, row_bytes(type, row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] > 0) out[i / 8] |= std::byte{0x80} >> (i % 8);
      }
      return;
    default:
      for (std::size_t i = 0; i < row.size(); ++i) {
        out[i] = static_cast<std::byte>(encode(small_float(type), row[i]));
      }
  }
}

void decode_row(ElementType type, const std::byte* row, std::span<float> out) noexcept {
  switch (type) {
    case ElementType::f32:
      std::memcpy(out.data(), row, out.size_bytes());
      return;
    case ElementType::f64:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(at<double>(row, i));
      return;
    case ElementType::f16:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = float_from_half(at<std::uint16_t>(row, i));
      return;
    case ElementType::bf16:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = float_from_bfloat16(at<std::uint16_t>(row, i));
      return;
    case ElementType::i8:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<float>(at<std::int8_t>(row, i)) / 127.0F;
      return;
    case ElementType::u8:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<float>(at<std::uint8_t>(row, i)) / 255.0F;
      return;
    case ElementType::b1:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = (row[i / 8] & (std::byte{0x80} >> (i % 8))) != std::byte{0} ? 1.0F : 0.0F;
      return;
    default: {
      const float* values = small_float_values(type);
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = values[std::to_integer<std::size_t>(row[i])];
    }
  }
}

}  // namespace embd::usearch
