#include "base/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "base/half.h"
#include "base/try.h"

namespace embd {

namespace {

struct TypeFacts {
  ElementType type;
  std::string_view name;
  unsigned bits = 0;
};

constexpr TypeFacts types[] = {
    {ElementType::f32, "f32", 32},   {ElementType::f64, "f64", 64},  {ElementType::f16, "f16", 16},
    {ElementType::bf16, "bf16", 16}, {ElementType::i8, "i8", 8},     {ElementType::u8, "u8", 8},
    {ElementType::i16, "i16", 16},   {ElementType::u16, "u16", 16},  {ElementType::i32, "i32", 32},
    {ElementType::u32, "u32", 32},   {ElementType::i64, "i64", 64},  {ElementType::u64, "u64", 64},
    {ElementType::b1, "b1", 1},      {ElementType::e5m2, "e5m2", 8}, {ElementType::e4m3, "e4m3", 8},
    {ElementType::e3m2, "e3m2", 8},  {ElementType::e2m3, "e2m3", 8},
};
static_assert(std::ranges::is_sorted(types, {}, &TypeFacts::type));

/// Returns the facts about a type; no name and no bits for a number that is none.
constexpr TypeFacts facts_of(ElementType type) noexcept {
  const auto i = static_cast<std::size_t>(type);
  return i < std::size(types) ? types[i] : TypeFacts{};
}

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
                  "the value {} does not fit the integer type, expected a whole number "
                  "from {} to {}: choose a floating-point type such as f32",
                  value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    }
  }
  append<T>(values, out, [](float value) { return static_cast<T>(value); });
  return {};
}

}  // namespace

unsigned element_bits(ElementType type) noexcept {
  return facts_of(type).bits;
}

std::string_view element_name(ElementType type) noexcept {
  return facts_of(type).name;
}

float first_infinite(ElementType type) noexcept {
  // Halfway from the largest number of the type to the next one that it would have.
  switch (type) {
    case ElementType::f16:
      return 65520.0F;
    case ElementType::bf16:
      return 0x1.ffp127F;
    case ElementType::e5m2:
      return 61440.0F;
    default:
      return std::numeric_limits<float>::infinity();
  }
}

void floats_from_elements(ElementType type, Bytes elements, std::span<float> out) noexcept {
  if (with_integer_type(type, [&]<class Integer>() { widen<Integer>(elements, out); })) return;
  switch (type) {
    case ElementType::f32:
      if (!out.empty()) std::memcpy(out.data(), elements.data(), out.size_bytes());
      return;
    case ElementType::f64:
      return widen<double>(elements, out);
    case ElementType::f16:
      return widen_halves(elements, out);
    case ElementType::bf16:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = float_from_bfloat16(load<std::uint16_t>(elements.subspan(2 * i)));
      return;
    default:
      return;  // types that only USearch has
  }
}

Result<void> elements_from_floats(ElementType type, std::span<const float> values,
                                  std::vector<std::byte>& out) {
  Result<void> appended;
  if (with_integer_type(type,
                        [&]<class Integer>() { appended = append_integers<Integer>(values, out); }))
    return appended;
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
    default:
      return fail(ErrorCode::unsupported, "numbers cannot be written as elements of type {}",
                  element_name(type));
  }
}

}  // namespace embd
