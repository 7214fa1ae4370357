#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/output_file.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// The values of a column for some rows in Parquet's plain encoding: numbers of 4 or 8 bytes, or
/// strings, each after its length in 4 bytes.
using PlainValues = std::vector<std::byte>;

/// Writes a table without vectors. Not thread-safe. If it is destroyed before finish(), it leaves
/// no file behind.
class ParquetTable {
 public:
  /// Begins a table with `columns` of numbers (i64, f32) and strings. `out` must be empty.
  static Result<ParquetTable> create(OutputFile out, std::vector<Column> columns);

  /// Writes `num_rows` rows as one row group. `values` has one entry per column, each below 2 GB.
  Result<void> append(std::uint64_t num_rows, std::span<const PlainValues> values);
  /// Completes the file, so that finish() only has to put it in place.
  Result<void> prepare();
  Result<void> finish() { return out_.finish(); }

 private:
  explicit ParquetTable(OutputFile out) : out_(std::move(out)) {}

  OutputFile out_;
  Footer footer_;
};

}  // namespace embd::parquet
