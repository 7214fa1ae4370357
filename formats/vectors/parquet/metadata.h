#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "embd/element_type.h"
#include "embd/error.h"
#include "embd/vectors.h"

namespace embd::parquet {

// Shared by the reader and the writer of Parquet files (docs/formats/parquet.md). A file is the
// magic, row groups of column chunks, the footer, its length, and the magic again. Numbers of
// enumerations are those of parquet.thrift.

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

// Reads what a Parquet file says about its columns and pages.

/// The kinds of values that a column can have.
enum class ValueKind : std::uint8_t {
  boolean,
  signed_number,
  unsigned_number,
  float16,
  float32,
  float64,
  decimal,
  date,
  time,
  timestamp,
  interval,
  text,
  uuid,
  fixed_bytes,  ///< Byte strings of one length, of which the file does not say what they are.
};

/// A leaf of the schema, whose values are in column chunks.
struct Leaf {
  std::string column;      ///< The name of the column that the leaf belongs to.
  std::size_t leaves = 1;  ///< The number of leaves of this column. A struct or a map has several.
  PhysicalType type = PhysicalType::boolean;
  std::uint64_t type_length = 0;  ///< The number of bytes of a value, if the type is fixed_bytes.
  ValueKind kind = ValueKind::boolean;
  unsigned bits = 0;                  ///< The width of a whole number: 8, 16, 32 or 64.
  std::uint32_t most_repetition = 0;  ///< The greatest repetition level; 1 for a list.
  std::uint32_t most_definition = 0;  ///< The definition level of a value that is not null.
  bool is_nested = false;  ///< True if the column is a struct or a list, and the leaf is inside it.

  /// Returns true if the column has one value in each row: it is neither a list nor a struct.
  bool has_single_values() const noexcept { return !is_nested && most_repetition == 0; }
  /// Returns true if values can be strings: texts and UUIDs.
  bool has_strings() const noexcept { return kind == ValueKind::text || kind == ValueKind::uuid; }
  bool has_whole_numbers() const noexcept {
    return kind == ValueKind::signed_number || kind == ValueKind::unsigned_number;
  }
  /// Returns the type of the values in words, such as "i64" or "decimal".
  std::string value_name() const;
  /// Returns the type of the column: that of its values, or "list or struct".
  std::string type_name() const { return has_single_values() ? value_name() : "list or struct"; }
};

/// The content of a footer.
struct FileMetadata {
  std::vector<Leaf> leaves;
  std::uint64_t num_rows = 0;
  /// The row groups. Their rows add up to `num_rows`, and each has a chunk for each leaf.
  std::vector<RowGroup> row_groups;
  std::vector<std::pair<std::string, std::string>> entries;
  std::string created_by;

  /// Returns true for a file that embd wrote.
  bool is_own() const noexcept { return created_by == writer_name; }
  /// Returns the value of an entry; null if there is none.
  const std::string* entry(std::string_view key) const;
};

/// Reads a footer, which is at `offset` of its file. Fails with the errors of CompactReader; with
/// bad_value, bad_count, invalid_utf8 or trailing_bytes if the footer contradicts itself; and with
/// unsupported for encryption and for columns in other files.
Result<FileMetadata> parse_footer(Bytes footer, std::uint64_t offset);

/// The header of a page of any kind.
struct PageHeader {
  PageType type = PageType::data;
  std::uint32_t uncompressed_bytes = 0;
  std::uint32_t compressed_bytes = 0;
  std::uint32_t num_values = 0;
  Encoding encoding = Encoding::plain;
  Encoding definition = Encoding::rle;  ///< The encoding of definition levels, if there are any.
  Encoding repetition = Encoding::rle;
  std::optional<std::uint32_t> crc;  ///< The CRC-32 of the page as stored.
  // Only for pages of version 2, in which the levels stand before the compressed part.
  std::uint32_t repetition_bytes = 0;
  std::uint32_t definition_bytes = 0;
  bool is_compressed = true;
};

/// Reads the page header at the beginning of `bytes`, which are at `offset` of their file, and sets
/// `size` to its length. Fails with the errors of CompactReader and with bad_value.
Result<PageHeader> parse_page_header(Bytes bytes, std::uint64_t offset, std::size_t& size);

/// Returns the name of an encoding or a codec for messages, such as "a dictionary" or "Brotli".
std::string name_of(Encoding encoding);
std::string name_of(Codec codec);

/// Returns the error for a feature of Parquet that embd does not read; `what` names it.
Error not_read(const std::string& what);

}  // namespace embd::parquet
