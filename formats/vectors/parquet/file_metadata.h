#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/os/mapped_file.h"
#include "embd/error.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// A node of the schema's tree.
struct SchemaElement {
  std::string_view name;
  std::optional<std::int64_t> type;
  std::int64_t type_length = 0;
  std::int64_t repetition = 0;
  std::int64_t num_children = 0;
  std::int64_t converted = std::to_underlying(ConvertedType::none);
  bool is_unsigned = false;
  bool is_float16 = false;
};

/// The footer of a Parquet file, whoever wrote it. footer.h and foreign_footer.h make of it the
/// columns that they read.
struct FileMetadata {
  std::vector<SchemaElement> schema;  ///< one tree, each group before its children
  std::uint64_t num_rows = 0;
  std::vector<RowGroup> row_groups;  ///< of as many rows together, with a chunk for each leaf
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string created_by;
  std::uint64_t end = 0;  ///< of the footer within the file
};

/// A file and what its footer says; the names of the schema lie in the file.
struct ParquetFile {
  MappedFile file;
  std::uint64_t data_end;  ///< of the pages, where the footer begins
  FileMetadata metadata;
};

/// Maps the file and reads its footer. Errors, with the file's name: not_found, io_failed;
/// file_too_short, bad_magic, section_out_of_bounds; those of CompactReader; bad_value, bad_count,
/// trailing_bytes for what contradicts itself; unsupported for encryption and for columns in other
/// files.
Result<ParquetFile> open_file(const std::filesystem::path& path);

/// "Brotli", "LZ4", …
std::string_view codec_name(Codec codec) noexcept;

/// The error for a feature of Parquet that `what` names.
Error foreign(std::string what);

}  // namespace embd::parquet
