#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embd/element_type.h"
#include "embd/vectors.h"

// Shared by the reader and the writer of Parquet files (docs/formats/parquet.md). A file is the
// magic, row groups of column chunks, the footer, its length, and the magic again. Numbers of
// enumerations are those of parquet.thrift.
namespace embd::parquet {

inline constexpr std::string_view magic = "PAR1";
/// The bytes at the end of a file: four for the footer's length and four for the magic.
inline constexpr std::uint64_t tail_bytes = 8;
/// The writer that the footer of a file of embd names.
inline constexpr std::string_view writer_name = "embd";

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
enum class LogicalType : std::int16_t {
  none = 0,
  string = 1,
  list = 3,
  enumeration = 4,
  decimal = 5,
  date = 6,
  time = 7,
  timestamp = 8,
  integer = 10,
  json = 12,
  uuid = 14,
  float16 = 15,
};

/// The older kind of type annotation, which every reader knows.
enum class ConvertedType : std::int32_t {
  none = -1,
  utf8 = 0,
  list = 3,
  enumeration = 4,
  decimal = 5,
  date = 6,
  time_millis = 7,
  time_micros = 8,
  timestamp_millis = 9,
  timestamp_micros = 10,
  uint8 = 11,
  uint64 = 14,
  int8 = 15,
  int64 = 18,
  json = 19,
  interval = 21,
};

enum class Codec : std::int32_t {
  uncompressed = 0,
  snappy = 1,
  gzip = 2,
  lzo = 3,
  brotli = 4,
  lz4 = 5,  ///< Blocks of LZ4 behind their sizes, as Hadoop writes them.
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

/// The place of a column's part of a row group, and how it is encoded.
struct ColumnChunk {
  std::uint64_t offset = 0;  ///< Where the header of its first page begins.
  std::uint64_t bytes = 0;   ///< The stored size of its pages with their headers.
  std::uint64_t uncompressed_bytes = 0;
  std::uint64_t num_values = 0;
  Codec codec = Codec::uncompressed;
  Encoding encoding = Encoding::plain;  ///< The encoding of the values, for a chunk to write.
};

struct RowGroup {
  std::uint64_t num_rows = 0;
  std::vector<ColumnChunk> chunks;  ///< One per leaf of the schema, in their order.
};

}  // namespace embd::parquet
