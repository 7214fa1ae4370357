#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "embd/vectors.h"

/// The layout of a CVC file, as in docs/formats/cvc.md. Everything is little-endian.
///
///   version 0:     magic, u32 header length, JSON, then per chunk: u32 length, payload
///   version 1, 2:  magic, u16 major, u16 minor, u32 header length, JSON, then per chunk:
///                  u32 length, u32 CRC-32 of the payload, payload
namespace embd::cvc {

inline constexpr std::string_view magic = "CVCF";

inline constexpr std::uint64_t legacy_head_bytes = 8;  ///< before the JSON of version 0
inline constexpr std::uint64_t head_bytes = 12;        ///< before the JSON of versions 1 and 2
inline constexpr std::uint64_t legacy_preamble_bytes = 4;
inline constexpr std::uint64_t preamble_bytes = 8;
/// A mmap_optimized file starts every chunk's preamble on a multiple of this.
inline constexpr std::uint64_t page_bytes = 4096;

/// The reference implementation's own bound, which it applies to version 0 only.
inline constexpr std::uint64_t max_header_bytes = 100'000'000;
/// Chunk lengths are u32, so neither a payload nor a row can be larger.
inline constexpr std::uint64_t max_payload_bytes = 0xffff'ffff;
inline constexpr std::uint64_t default_chunk_rows = 100'000;

/// The member of the header that holds a recipe; other readers ignore it.
inline constexpr std::string_view recipe_key = "embd";

/// How the values of one column of one chunk are stored.
enum class Encoding : std::uint8_t {
  none,      ///< the column's own type; versions 2 only
  fp16,      ///< IEEE binary16
  int8,      ///< u8 codes: value = code × scale + min
  lossless,  ///< float32 by byte planes, see cvc_lossless.h; version 1 only
};

constexpr std::string_view encoding_name(Encoding encoding) noexcept {
  switch (encoding) {
    case Encoding::none:
      return "none";
    case Encoding::fp16:
      return "fp16";
    case Encoding::int8:
      return "int8";
    case Encoding::lossless:
      return "lossless";
  }
  return {};
}

constexpr std::optional<Encoding> encoding_named(std::string_view name) noexcept {
  for (const Encoding e : {Encoding::none, Encoding::fp16, Encoding::int8, Encoding::lossless})
    if (encoding_name(e) == name) return e;
  return std::nullopt;
}

/// NumPy's name of a column type; empty for a type that CVC has not.
constexpr std::string_view dtype_name(ElementType type) noexcept {
  switch (type) {
    case ElementType::f32:
      return "float32";
    case ElementType::f16:
      return "float16";
    case ElementType::i32:
      return "int32";
    case ElementType::i64:
      return "int64";
    case ElementType::i8:
      return "int8";
    case ElementType::u8:
      return "uint8";
    default:
      return {};
  }
}

constexpr std::optional<ElementType> dtype_named(std::string_view name) noexcept {
  for (const ElementType t : {ElementType::f32, ElementType::f16, ElementType::i32,
                              ElementType::i64, ElementType::i8, ElementType::u8})
    if (dtype_name(t) == name) return t;
  return std::nullopt;
}

/// Bytes of one value of a column type.
inline std::uint64_t dtype_bytes(ElementType type) noexcept {
  return element_bits(type) / 8;
}

/// Bytes of one stored value, for the encodings of fixed size (all but lossless).
inline std::uint64_t value_bytes(Encoding encoding, ElementType type) noexcept {
  switch (encoding) {
    case Encoding::fp16:
      return 2;
    case Encoding::int8:
      return 1;
    default:
      return dtype_bytes(type);
  }
}

}  // namespace embd::cvc
