#include "base/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/byte_reader.h"
#include "base/half.h"
#include "base/try.h"

namespace embd {

unsigned element_bits(ElementType type) noexcept {
  switch (type) {
    case ElementType::b1:
      return 1;
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::e5m2:
    case ElementType::e4m3:
    case ElementType::e3m2:
    case ElementType::e2m3:
      return 8;
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::i16:
    case ElementType::u16:
      return 16;
    case ElementType::f32:
    case ElementType::i32:
    case ElementType::u32:
      return 32;
    case ElementType::f64:
    case ElementType::i64:
    case ElementType::u64:
      return 64;
  }
  return 0;
}

std::string_view element_name(ElementType type) noexcept {
  switch (type) {
    case ElementType::f32:
      return "f32";
    case ElementType::f64:
      return "f64";
    case ElementType::f16:
      return "f16";
    case ElementType::bf16:
      return "bf16";
    case ElementType::i8:
      return "i8";
    case ElementType::u8:
      return "u8";
    case ElementType::i16:
      return "i16";
    case ElementType::u16:
      return "u16";
    case ElementType::i32:
      return "i32";
    case ElementType::u32:
      return "u32";
    case ElementType::i64:
      return "i64";
    case ElementType::u64:
      return "u64";
    case ElementType::b1:
      return "b1";
    case ElementType::e5m2:
      return "e5m2";
    case ElementType::e4m3:
      return "e4m3";
    case ElementType::e3m2:
      return "e3m2";
    case ElementType::e2m3:
      return "e2m3";
  }
  return "";
}

namespace {

template <class T>
void widen(Bytes from, std::span<float> to) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<float>(load<T>(from.subspan(i * sizeof(T))));
}

/// Converts float16 values, some at a time, through aligned memory, because they may lie at odd
/// addresses.
void widen_halves(Bytes from, std::span<float> to) noexcept {
  std::array<std::uint16_t, 2048> halves;
  while (!to.empty()) {
    const std::size_t count = std::min(halves.size(), to.size());
    std::memcpy(halves.data(), from.data(), count * sizeof(std::uint16_t));
    floats_from_halves(std::span(halves).first(count), to.first(count));
    from = from.subspan(count * sizeof(std::uint16_t));
    to = to.subspan(count);
  }
}

template <class T, class Convert>
void append(std::span<const float> values, std::vector<std::byte>& out, Convert convert) {
  const std::size_t start = out.size();
  out.resize(start + values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T element = convert(values[i]);
    std::memcpy(out.data() + start + i * sizeof(T), &element, sizeof(T));
  }
}

template <class T>
Result<void> append_integers(std::span<const float> values, std::vector<std::byte>& out) {
  // 2^bits − 1 rounds up to 2^bits as a float, so the upper bound is exclusive.
  const float end = std::ldexp(1.0F, std::numeric_limits<T>::digits);
  for (const float value : values) {
    if (!(value >= static_cast<float>(std::numeric_limits<T>::min()) && value < end) ||
        value != std::trunc(value)) {
      return fail(ErrorCode::bad_value,
                  fmt::format("the value {} does not fit the integer type, expected a whole number "
                              "from {} to {}: choose a floating-point type such as f32",
                              value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    }
  }
  append<T>(values, out, [](float value) { return static_cast<T>(value); });
  return {};
}

}  // namespace

bool is_plain_element(ElementType type) noexcept {
  switch (type) {
    case ElementType::b1:
    case ElementType::e5m2:
    case ElementType::e4m3:
    case ElementType::e3m2:
    case ElementType::e2m3:
      return false;
    default:
      return true;
  }
}

void floats_from_elements(ElementType type, Bytes elements, std::span<float> out) noexcept {
  switch (type) {
    case ElementType::f32:
      if (!out.empty()) std::memcpy(out.data(), elements.data(), out.size_bytes());
      return;
    case ElementType::f64:
      widen<double>(elements, out);
      return;
    case ElementType::i8:
      widen<std::int8_t>(elements, out);
      return;
    case ElementType::u8:
      widen<std::uint8_t>(elements, out);
      return;
    case ElementType::i16:
      widen<std::int16_t>(elements, out);
      return;
    case ElementType::u16:
      widen<std::uint16_t>(elements, out);
      return;
    case ElementType::i32:
      widen<std::int32_t>(elements, out);
      return;
    case ElementType::u32:
      widen<std::uint32_t>(elements, out);
      return;
    case ElementType::i64:
      widen<std::int64_t>(elements, out);
      return;
    case ElementType::u64:
      widen<std::uint64_t>(elements, out);
      return;
    case ElementType::f16:
      widen_halves(elements, out);
      return;
    case ElementType::bf16:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = float_from_bfloat16(load<std::uint16_t>(elements.subspan(2 * i)));
      return;
    case ElementType::b1:
    case ElementType::e5m2:
    case ElementType::e4m3:
    case ElementType::e3m2:
    case ElementType::e2m3:
      return;  // not plain: the caller asked is_plain_element
  }
}

Result<void> elements_from_floats(ElementType type, std::span<const float> values,
                                  std::vector<std::byte>& out) {
  switch (type) {
    case ElementType::f32:
      append<float>(values, out, [](float v) { return v; });
      return {};
    case ElementType::f64:
      append<double>(values, out, [](float v) { return static_cast<double>(v); });
      return {};
    case ElementType::f16:
      append<std::uint16_t>(values, out, half_from_float);
      return {};
    case ElementType::bf16:
      append<std::uint16_t>(values, out, bfloat16_from_float);
      return {};
    case ElementType::i8:
      return append_integers<std::int8_t>(values, out);
    case ElementType::u8:
      return append_integers<std::uint8_t>(values, out);
    case ElementType::i16:
      return append_integers<std::int16_t>(values, out);
    case ElementType::u16:
      return append_integers<std::uint16_t>(values, out);
    case ElementType::i32:
      return append_integers<std::int32_t>(values, out);
    case ElementType::u32:
      return append_integers<std::uint32_t>(values, out);
    case ElementType::i64:
      return append_integers<std::int64_t>(values, out);
    case ElementType::u64:
      return append_integers<std::uint64_t>(values, out);
    case ElementType::b1:
    case ElementType::e5m2:
    case ElementType::e4m3:
    case ElementType::e3m2:
    case ElementType::e2m3:
      break;
  }
  return fail(ErrorCode::unsupported,
              fmt::format("numbers cannot be written as elements of type {}", element_name(type)));
}

}  // namespace embd
