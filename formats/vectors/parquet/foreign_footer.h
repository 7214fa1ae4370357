#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "embd/error.h"
#include "formats/vectors/parquet/file_metadata.h"
#include "formats/vectors/parquet/parquet_layout.h"

// Footers of Parquet files that other programs wrote, with any columns. One of the columns is read
// as vectors.
namespace embd::parquet {

/// A leaf of the schema, whose values are in column chunks.
struct ForeignColumn {
  std::string name;        ///< The name of the column that the leaf belongs to.
  std::size_t leaves = 1;  ///< The number of leaves of this column. A struct or a map has several.
  PhysicalType type = PhysicalType::boolean;
  std::int64_t type_length = 0;  ///< The number of bytes of a value, if the type is fixed_bytes.
  bool is_float16 = false;
  bool is_unsigned = false;
  std::uint32_t most_repetition = 0;  ///< The greatest repetition level; 1 for a list.
  std::uint32_t most_definition = 0;  ///< The definition level of a value that is not null.
  bool is_nested = false;  ///< True if the column is a struct or a list, and the leaf is inside it.

  /// Returns true if the column has one value in each row: it is neither a list nor a struct.
  bool has_single_values() const noexcept { return !is_nested && most_repetition == 0; }
  bool operator==(const ForeignColumn&) const = default;
};

struct ForeignFooter {
  std::vector<ForeignColumn> columns;
  std::uint64_t num_rows = 0;
  std::vector<RowGroup> row_groups;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string created_by;
};

/// Makes the columns and their levels from the metadata of a file. Fails with bad_value, bad_count
/// or invalid_utf8 if the metadata contradict themselves.
Result<ForeignFooter> foreign_footer(FileMetadata metadata);

}  // namespace embd::parquet
