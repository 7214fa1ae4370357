#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "embd/error.h"
#include "formats/vectors/parquet/file_metadata.h"
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

struct ForeignFooter {
  std::vector<ForeignColumn> columns;
  std::uint64_t num_rows = 0;
  std::vector<RowGroup> row_groups;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string created_by;
};

/// Errors: bad_value, bad_count, invalid_utf8 for what contradicts itself.
Result<ForeignFooter> foreign_footer(FileMetadata metadata);

}  // namespace embd::parquet
