#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/output_file.h"
#include "embd/element_type.h"
#include "formats/vectors/parquet/metadata.h"

namespace embd::parquet {

/// The size of a page's values before compression. A reader reads a page at once.
inline constexpr std::uint64_t page_bytes = std::uint64_t{1} << 20;

/// The kinds of columns in a file that embd writes.
enum class ColumnKind : std::uint8_t { numbers, strings, vectors };

/// A column: of vectors, or beside them. No value is missing.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::numbers;
  ElementType type = ElementType::u64;  ///< The type of numbers, or of the values of vectors.
  std::uint64_t dim = 1;                ///< The number of values per row, for vectors.
};

/// Returns the number of bytes of a value of the column in Parquet; 0 for strings.
std::size_t value_bytes(const Column& column) noexcept;
/// Returns the number of rows of a page: as many as fit into page_bytes, but at least one.
std::uint64_t rows_per_page(const Column& column) noexcept;

/// The values of a column for some rows in Parquet's plain encoding: numbers of 4 or 8 bytes, or
/// strings, each after its length in 4 bytes.
using PlainValues = std::vector<std::byte>;

/// A page as it is written.
struct StoredPage {
  std::vector<std::byte> head;  ///< its header, and all that stands before `values`
  Bytes values;
  std::uint64_t uncompressed_bytes = 0;  ///< with the header
};

/// Writes the parts of a Parquet file one after the other. Not thread-safe. If it is destroyed
/// before finish(), it leaves no file behind.
class FileWriter {
 public:
  /// Begins a file. `out` must be empty.
  static Result<FileWriter> create(OutputFile out);

  /// Writes one page of `num_rows` rows and adds it to `chunk`, whose codec and encoding it has.
  /// `values` are in plain encoding. Fails with unsupported if the page has more than 2 GB.
  Result<void> write_page(const Column& column, Bytes values, std::uint64_t num_rows,
                          ColumnChunk& chunk);
  /// Notes that a row group is complete. Its pages were written before.
  void end_group(RowGroup group);
  /// Writes rows of `columns` as one row group. `values` has one entry per column.
  Result<void> write_group(std::span<const Column> columns, std::span<const PlainValues> values,
                           std::uint64_t num_rows);
  /// Writes the footer, so that finish() only has to put the file in place. `entries` are further
  /// metadata. Fails with unsupported if the footer has more than 4 GB.
  Result<void> prepare(std::span<const Column> columns,
                       std::vector<std::pair<std::string, std::string>> entries);
  Result<void> finish() { return out_.finish(); }

 private:
  explicit FileWriter(OutputFile out) : out_(std::move(out)) {}
  Result<void> write_aligned(const Column& column, Bytes values, std::uint64_t num_rows,
                             ColumnChunk& chunk);
  Result<void> write_stored(const StoredPage& page, std::uint64_t num_values, ColumnChunk& chunk);

  OutputFile out_;
  std::uint64_t num_rows_ = 0;
  std::vector<RowGroup> row_groups_;
};

}  // namespace embd::parquet
