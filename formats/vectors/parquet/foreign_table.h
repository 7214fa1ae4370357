#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/os/mapped_file.h"
#include "formats/vectors/parquet/foreign_column.h"
#include "formats/vectors/parquet/foreign_footer.h"

namespace embd::parquet {

/// A Parquet file with any columns, from which columns with one value per row are read. Any number
/// of threads may read at once.
class ForeignTable {
 public:
  /// Makes the columns of an open file. Fails with the errors of foreign_footer(); the error names
  /// the file.
  static Result<ForeignTable> open(ParquetFile file);

  const std::filesystem::path& path() const noexcept { return file_.path(); }
  Bytes bytes() const noexcept { return file_.bytes(); }
  const ForeignFooter& footer() const noexcept { return footer_; }
  /// Returns where the pages end and the footer begins.
  std::uint64_t data_end() const noexcept { return data_end_; }
  std::uint64_t num_rows() const noexcept { return footer_.num_rows; }

  /// Opens a column of numbers or byte arrays by its name. The returned reader uses the memory of
  /// this table and must not outlive it. Fails with missing if there is no such column, with
  /// duplicate if there are several, with bad_type if it has lists, structs or other types, and
  /// with the errors of ForeignColumnReader::open().
  Result<std::unique_ptr<ForeignColumnReader>> open_column(std::string_view name) const;

 private:
  ForeignTable(MappedFile file, std::uint64_t data_end, ForeignFooter footer)
      : file_(std::move(file)), data_end_(data_end), footer_(std::move(footer)) {}

  Result<std::size_t> leaf_of(std::string_view name) const;

  MappedFile file_;
  std::uint64_t data_end_;
  ForeignFooter footer_;
};

}  // namespace embd::parquet
