#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/os/file_status.h"
#include "embd/collect.h"
#include "embd/error.h"

namespace embd::collection {

// The table of the documents of a collection, files.parquet: docs/formats/collection.md.

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

// The documents of the roots of a collection.

/// Adds roots that a user names to those that a collection has. Fails with not_found or io_failed
/// for one that does not exist, and with invalid_argument for one that is in another root or has
/// the name of another, or whose name is not UTF-8.
Result<std::vector<CollectionRoot>> with_roots(std::vector<CollectionRoot> roots,
                                               std::span<const std::filesystem::path> named);

/// A document that was found in a root.
struct FoundDocument {
  FileEntry entry;  ///< its name, size and time of change
  std::filesystem::path path;
};

/// Returns the documents in all roots, in the order of their names. Fails with not_found or
/// io_failed for a root that is missing or a folder that cannot be read. `on_skip` is as in
/// document_files().
Result<std::vector<FoundDocument>> documents_in(std::span<const CollectionRoot> roots,
                                                const std::function<void(const Error&)>& on_skip);

/// Returns the path of a document by its name; empty if no root has it. A name never leads out of
/// its root, except through a symbolic link that was put there since.
std::filesystem::path path_of(const std::string& name, std::span<const CollectionRoot> roots);
/// Returns the same path, without symbolic links. Fails with not_found if nothing is there, and
/// with invalid_argument if it is outside all roots.
Result<std::filesystem::path> checked_path_of(const std::string& name,
                                              std::span<const CollectionRoot> roots);

}  // namespace embd::collection
