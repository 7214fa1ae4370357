#include "formats/cvc/cvc_codec.h"

#include "base/byte_reader.h"
#include "base/half.h"

namespace embd::cvc {
namespace {

/// Halves lie at odd addresses too.
void decode_fp16(Bytes stored, std::span<float> out) {
  constexpr std::size_t block = 2048;
  std::array<std::uint16_t, block> halves;
  while (!out.empty()) {
    const std::size_t count = std::min(block, out.size());
    std::memcpy(halves.data(), stored.data(), count * sizeof(std::uint16_t));
    floats_from_halves(std::span(halves).first(count), out.first(count));
    stored = stored.subspan(count * sizeof(std::uint16_t));
    out = out.subspan(count);
  }
}

/// Two roundings, as in the reference implementation.
void decode_int8(Bytes stored, float min, float scale, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(std::to_integer<int>(stored[i])) * scale + min;
}

template <class T>
void decode_plain(Bytes stored, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(load<T>(stored.subspan(i * sizeof(T))));
}

void decode_none(ElementType type, Bytes stored, std::span<float> out) {
  switch (type) {
    case ElementType::f16:
      return decode_fp16(stored, out);
    case ElementType::i8:
      return decode_plain<std::int8_t>(stored, out);
    case ElementType::u8:
      return decode_plain<std::uint8_t>(stored, out);
    case ElementType::i32:
      return decode_plain<std::int32_t>(stored, out);
    case ElementType::i64:
      return decode_plain<std::int64_t>(stored, out);
    default:
      return decode_plain<float>(stored, out);
  }
}

}  // namespace

void decode_values(const Slice& slice, ElementType type, Bytes stored, std::span<float> out) {
  switch (slice.encoding) {
    case Encoding::fp16:
      return decode_fp16(stored, out);
    case Encoding::int8:
      return decode_int8(stored, slice.min, slice.scale, out);
    default:
      return decode_none(type, stored, out);
  }
}

}  // namespace embd::cvc
