#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embd/element_type.h"
#include "embd/vectors.h"

// The layout of Parquet files that embd writes (docs/formats/parquet.md): the magic, row groups of
// column chunks, the footer, its length, and the magic again. Numbers of enumerations are those of
// parquet.thrift.
namespace embd::parquet {

inline constexpr std::string_view magic = "PAR1";
/// The bytes at the end of a file: four for the footer's length and four for the magic.
inline constexpr std::uint64_t tail_bytes = 8;
/// The size of a page's values before compression. A reader reads a page at once.
inline constexpr std::uint64_t page_bytes = std::uint64_t{1} << 20;

/// The greatest dimension. Arrow counts the values of a list in 31 bits, and Parquet the bytes of a
/// page.
inline constexpr std::uint64_t max_dim = std::uint64_t{1} << 28;

inline constexpr std::string_view id_column = "id";
inline constexpr std::string_view text_column = "text";
inline constexpr std::string_view vector_column = "embedding";
/// The columns of scores. They hold numbers if a pair has one score, and lists if it has several.
inline constexpr std::string_view score_column = "score";
inline constexpr std::string_view logit_column = "logit";
inline constexpr std::string_view scores_column = "scores";
inline constexpr std::string_view logits_column = "logits";
/// Keys of the footer's metadata.
inline constexpr std::string_view recipe_key = "embd.recipe";
inline constexpr std::string_view dim_key = "embd.dim";  ///< The dimension of a list.
inline constexpr std::string_view arrow_schema_key = "ARROW:schema";

enum class PhysicalType : std::int32_t {
  boolean = 0,
  int32 = 1,
  int64 = 2,
  int96 = 3,
  float32 = 4,
  float64 = 5,
  byte_array = 6,
  fixed_bytes = 7,
};

enum class Repetition : std::int32_t { required = 0, optional = 1, repeated = 2 };

/// The field numbers of the members of the union LogicalType, the newer kind of type annotation.
inline constexpr std::int16_t logical_string = 1;
inline constexpr std::int16_t logical_list = 3;
inline constexpr std::int16_t logical_integer = 10;
inline constexpr std::int16_t logical_float16 = 15;

/// The older kind of type annotation, which every reader knows.
enum class ConvertedType : std::int32_t {
  none = -1,
  utf8 = 0,
  list = 3,
  uint8 = 11,
  uint64 = 14,
  int8 = 15,
};

enum class Codec : std::int32_t {
  uncompressed = 0,
  snappy = 1,
  gzip = 2,
  lzo = 3,
  brotli = 4,
  lz4 = 5,
  zstd = 6,
  lz4_raw = 7,
};

enum class Encoding : std::int32_t {
  plain = 0,
  plain_dictionary = 2,
  rle = 3,
  bit_packed = 4,
  delta_binary_packed = 5,
  delta_length_byte_array = 6,
  delta_byte_array = 7,
  rle_dictionary = 8,
  byte_stream_split = 9,
};

enum class PageType : std::int32_t { data = 0, index = 1, dictionary = 2, data_v2 = 3 };

/// The kinds of columns in a file that embd writes.
enum class ColumnKind : std::uint8_t { numbers, strings, vectors };

/// A column: of vectors, or beside them.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::numbers;
  ElementType type = ElementType::u64;  ///< The type of numbers, or of the values of vectors.
  std::uint64_t dim = 1;                ///< The number of values per row, for vectors.

  bool operator==(const Column&) const = default;
};

/// The place of a column's part of a row group, and how it is encoded.
struct ColumnChunk {
  std::uint64_t offset = 0;  ///< Where the header of its first page begins.
  std::uint64_t bytes = 0;   ///< The stored size of its pages with their headers.
  std::uint64_t uncompressed_bytes = 0;
  std::uint64_t num_values = 0;
  Codec codec = Codec::uncompressed;
  Encoding encoding = Encoding::plain;
  /// True if the chunk has a dictionary; never in a file that embd wrote.
  bool has_dictionary = false;
};

struct RowGroup {
  std::uint64_t num_rows = 0;
  std::vector<ColumnChunk> chunks;  ///< One per leaf of the schema, in their order.
};

/// The content of the footer of a file that embd wrote.
struct Footer {
  std::vector<Column> columns;
  RowKind row_kind = RowKind::vector;
  /// The numbers of the columns whose values, one after another, make up a row.
  std::vector<std::size_t> row_columns;
  std::uint64_t num_rows = 0;
  std::vector<RowGroup> row_groups;
  std::vector<std::pair<std::string, std::string>> metadata;
};

}  // namespace embd::parquet
