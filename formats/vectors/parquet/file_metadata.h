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

/// The footer of any Parquet file. footer.h and foreign_footer.h make from it the columns that they
/// read.
struct FileMetadata {
  /// The tree of the schema; each group stands before its children.
  std::vector<SchemaElement> schema;
  std::uint64_t num_rows = 0;
  /// The row groups. Their rows add up to `num_rows`, and each has a chunk for each leaf.
  std::vector<RowGroup> row_groups;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string created_by;
  std::uint64_t end = 0;  ///< The end of the footer in the file.
};

/// A mapped file and the content of its footer. The names in the schema refer to the file.
struct ParquetFile {
  MappedFile file;
  std::uint64_t data_end;  ///< The end of the pages, where the footer begins.
  FileMetadata metadata;
};

/// Maps a file and reads its footer. Fails with not_found or io_failed, with file_too_short,
/// bad_magic or section_out_of_bounds, and with the errors of CompactReader. Fails with bad_value,
/// bad_count or trailing_bytes if the footer contradicts itself, and with unsupported for
/// encryption and for columns in other files. The error names the file.
Result<ParquetFile> open_file(const std::filesystem::path& path);

/// Returns the name of a codec for messages, such as "Brotli".
std::string_view codec_name(Codec codec) noexcept;

/// Returns the error for a feature of Parquet that embd's files do not have; `what` names it.
Error foreign(std::string what);

}  // namespace embd::parquet
