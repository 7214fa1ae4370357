#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/enum_names.h"
#include "embd/recipe.h"
#include "embd/vectors.h"

namespace embd::cvc {

/// The layout of a CVC file, see docs/formats/cvc.md. All numbers are little-endian.
///
///   version 0:     magic, u32 header length, JSON, then per chunk: u32 length, payload
///   version 1, 2:  magic, u16 major, u16 minor, u32 header length, JSON, then per chunk:
///                  u32 length, u32 CRC-32 of the payload, payload

inline constexpr std::string_view magic = "CVCF";

inline constexpr std::uint64_t head_bytes = 12;  ///< The bytes before the JSON of versions 1 and 2.
inline constexpr std::uint64_t preamble_bytes = 8;
/// In a mmap_optimized file, every chunk's preamble begins at a multiple of this.
inline constexpr std::uint64_t page_bytes = 4096;

/// The greatest header size that the reference implementation accepts. It checks this for version 0
/// only.
inline constexpr std::uint64_t max_header_bytes = 100'000'000;
/// The greatest size of a payload, and so of a row, because a chunk's length is stored as u32.
inline constexpr std::uint64_t max_payload_bytes = 0xffff'ffff;
inline constexpr std::uint64_t default_chunk_rows = 100'000;

/// The member of the header that holds a recipe. Other programs ignore it.
inline constexpr std::string_view recipe_key = "embd";

/// The way in which the values of one column of one chunk are stored.
enum class Encoding : std::uint8_t {
  none,      ///< The column's own type; version 2 only.
  fp16,      ///< IEEE binary16
  int8,      ///< Codes of type u8: value = code × scale + min.
  lossless,  ///< Float32 as byte planes, see cvc_codec.h; version 1 only.
};

inline constexpr EnumNames<Encoding, 4> encoding_names = {{{"none", Encoding::none},
                                                           {"fp16", Encoding::fp16},
                                                           {"int8", Encoding::int8},
                                                           {"lossless", Encoding::lossless}}};

/// NumPy's names of the column types. CVC has no other types.
inline constexpr EnumNames<ElementType, 6> dtype_names = {{{"float32", ElementType::f32},
                                                           {"float16", ElementType::f16},
                                                           {"int32", ElementType::i32},
                                                           {"int64", ElementType::i64},
                                                           {"int8", ElementType::i8},
                                                           {"uint8", ElementType::u8}}};

/// Returns the number of bytes of one value of a column type.
inline std::uint64_t dtype_bytes(ElementType type) noexcept {
  return element_bits(type) / 8;
}

/// Returns the number of bytes of one stored value in an encoding of fixed size (all but lossless).
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

/// A column of a columnar file. A file that is not columnar has one column without a name.
struct Column {
  std::string name;
  std::uint64_t dim = 0;
  ElementType type = ElementType::f32;
  /// The encoding of a chunk that does not state one.
  Encoding encoding = Encoding::fp16;
};

/// The part of one column in one chunk.
struct Slice {
  Encoding encoding = Encoding::fp16;
  std::uint64_t offset = 0;  ///< Where the part begins in the payload of the chunk.
  std::uint64_t size = 0;    ///< The size in bytes.
  float min = 0;             ///< The value of code 0. Only int8 has `min` and `scale`.
  float scale = 1;
};

struct Chunk {
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
  /// Where the preamble of the chunk begins, from the header of a mmap_optimized file. In other
  /// files each chunk follows the one before.
  std::optional<std::uint64_t> file_offset;
  std::string metadata;  ///< A JSON object; empty if there is none.
};

/// A run of rows with metadata that the maker of the file gave.
struct Section {
  std::uint64_t first_row = 0;
  std::uint64_t end_row = 0;
  std::string metadata;  ///< A JSON object.
};

/// The header of a file: all that stands before its chunks. It is checked in itself, but not
/// against the chunks.
struct Header {
  unsigned major = 0;
  unsigned minor = 0;
  std::uint64_t json_offset = 0;
  std::uint64_t json_bytes = 0;
  bool columnar = false;
  bool mmap_optimized = false;
  std::uint64_t num_rows = 0;
  std::vector<Column> columns;  ///< At least one column.
  std::vector<Chunk> chunks;
  /// An array of shape [chunks, columns]. Only columnar files have offset and size.
  std::vector<Slice> slices;
  std::vector<Section> sections;
  std::optional<Recipe> recipe;

  std::uint64_t end() const noexcept { return json_offset + json_bytes; }
  Bytes json(Bytes file) const noexcept { return file.subspan(json_offset, json_bytes); }
  const Slice& slice(std::size_t chunk, std::size_t column) const noexcept {
    return slices[chunk * columns.size() + column];
  }
};

/// Reads the header from the bytes of a whole file. Checks that the rows of all chunks add up to
/// `num_rows`, that sections are in order and inside the rows, and that every int8 slice has its
/// range.
Result<Header> parse_header(Bytes file);

/// Returns the JSON text of a header, which parse_header() can read. Except for the recipe, its
/// bytes are those that the reference package writes. `json_offset` and `json_bytes` of the header
/// are ignored.
std::string header_json(const Header& header);

}  // namespace embd::cvc
