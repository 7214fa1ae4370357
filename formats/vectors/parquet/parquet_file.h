#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "base/os/mapped_file.h"
#include "formats/vectors/parquet/column_reader.h"
#include "formats/vectors/parquet/metadata.h"

namespace embd::parquet {

/// A mapped Parquet file with any columns. Columns that it opens use its memory and must not
/// outlive it. Any number of threads may use it at once.
class ParquetFile {
 public:
  /// Maps a file and reads its footer. Fails with not_found or io_failed, with file_too_short,
  /// bad_magic or section_out_of_bounds, and with the errors of parse_footer(). The error names the
  /// file.
  static Result<ParquetFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const noexcept { return file_.path(); }
  Bytes bytes() const noexcept { return file_.bytes(); }
  const FileMetadata& metadata() const noexcept { return metadata_; }

  /// Opens a column of texts or numbers with one value in each row. Fails with missing if there is
  /// no such column, with duplicate if there are several, with bad_type if it has lists, structs or
  /// values of another type, and with the errors of ColumnReader::open(). The error names the file.
  Result<std::unique_ptr<ColumnReader>> open_column(std::string_view name) const;
  /// Opens a column of ids: whole numbers, texts or UUIDs. Fails as open_column() does, with
  /// bad_type for values of other types, too.
  Result<std::unique_ptr<ColumnReader>> open_ids(std::string_view name) const;
  /// Opens a leaf whose rows have `values_a_row` values each. Fails with the errors of
  /// ColumnReader::open().
  Result<std::unique_ptr<ColumnReader>> open_leaf(std::size_t leaf,
                                                  std::uint64_t values_a_row) const;

 private:
  ParquetFile(MappedFile file, std::uint64_t data_end, FileMetadata metadata)
      : file_(std::move(file)), data_end_(data_end), metadata_(std::move(metadata)) {}

  Result<std::size_t> leaf_of(std::string_view name) const;

  MappedFile file_;
  std::uint64_t data_end_;  // where the pages end and the footer begins
  FileMetadata metadata_;
};

}  // namespace embd::parquet
