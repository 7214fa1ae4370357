#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/os/file_status.h"
#include "embd/error.h"

// The table of the documents of a collection, files.parquet: docs/formats/collection.md.
namespace embd::collection {

/// A document of a collection, as it was when its bytes were read.
struct FileEntry {
  std::string name;  ///< the name of its root and its path in it
  std::int64_t size = 0;
  std::int64_t modified = 0;  ///< time of its last change, in nanoseconds since 1970
  /// When the run began that compared its bytes, in nanoseconds since 1970.
  std::int64_t checked = 0;
  std::string sha256 = {};  ///< of its bytes; empty for a document that could not be taken
  std::int64_t first_row = 0;
  std::int64_t num_rows = 0;
};

/// Returns the time of a file's last change in nanoseconds since 1970.
std::int64_t nanoseconds_of(const FileTime& time) noexcept;

/// Writes a table, which appears when it is complete.
Result<void> write_file_table(const std::filesystem::path& path,
                              std::span<const FileEntry> entries);

/// Reads a table. Fails with bad_value unless names ascend and stay within their roots and rows
/// follow each other, and with the errors of reading Parquet files.
Result<std::vector<FileEntry>> read_file_table(const std::filesystem::path& path);

}  // namespace embd::collection
