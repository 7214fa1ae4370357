#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/vectors/parquet/parquet_layout.h"

// Reads what a Parquet file says about its columns and pages.
namespace embd::parquet {

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
