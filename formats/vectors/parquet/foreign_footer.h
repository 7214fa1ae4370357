#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/vectors/parquet/parquet_layout.h"

// Parquet files as other programs write them: any columns, of which one is read as vectors.
namespace embd::parquet {

/// A leaf of the schema, whose values lie in column chunks.
struct ForeignColumn {
  std::string name;        ///< of the column that the leaf is in
  std::size_t leaves = 1;  ///< of that column; one of several is a struct's or a map's
  PhysicalType type = PhysicalType::boolean;
  std::int64_t type_length = 0;  ///< bytes of a value of fixed_bytes
  bool is_float16 = false;
  bool is_unsigned = false;
  std::uint32_t most_repetition = 0;  ///< 1: of a list
  std::uint32_t most_definition = 0;  ///< the level of a value that is there

  bool operator==(const ForeignColumn&) const = default;
};

/// Where a leaf's values of a row group lie.
struct ForeignChunk {
  std::uint64_t offset = 0;  ///< of the first page, which may be a dictionary
  std::uint64_t bytes = 0;
  std::uint64_t num_values = 0;  ///< entries of the levels
  Codec codec = Codec::uncompressed;
};

struct ForeignRowGroup {
  std::uint64_t num_rows = 0;
  std::vector<ForeignChunk> chunks;  ///< one a leaf
};

struct ForeignFooter {
  std::vector<ForeignColumn> columns;
  std::uint64_t num_rows = 0;
  std::vector<ForeignRowGroup> row_groups;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string created_by;
};

/// `bytes`: the footer's, `offset` bytes into its file. Errors: those of CompactReader; bad_value,
/// bad_count, missing for what contradicts itself; unsupported for encryption and for columns in
/// other files.
Result<ForeignFooter> parse_foreign_footer(Bytes bytes, std::uint64_t offset);

/// The header of a page of any kind.
struct ForeignPageHeader {
  PageType type = PageType::data;
  std::uint32_t uncompressed_bytes = 0;
  std::uint32_t compressed_bytes = 0;
  std::uint32_t num_values = 0;
  Encoding encoding = Encoding::plain;
  Encoding levels = Encoding::rle;
  // Of pages of version 2, whose levels stand before what is compressed.
  std::uint32_t repetition_bytes = 0;
  std::uint32_t definition_bytes = 0;
  bool is_compressed = true;
};

/// Reads the page header at the front of `bytes`; `size` is its length. Errors as
/// parse_foreign_footer().
Result<ForeignPageHeader> parse_foreign_page_header(Bytes bytes, std::uint64_t offset,
                                                    std::size_t& size);

/// "Brotli", "LZ4"; "a dictionary", …
std::string_view codec_name(Codec codec) noexcept;
std::string_view encoding_name(Encoding encoding) noexcept;

}  // namespace embd::parquet
