#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/output_file.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// The values of a column for some rows, as Parquet stores them plainly: numbers of 4 or 8 bytes
/// one after the other, strings each behind its length in 4 bytes.
using PlainValues = std::vector<std::byte>;

/// Writes a table without vectors. Not thread-safe. Destroyed unfinished, it leaves nothing behind.
class ParquetTable {
 public:
  /// `columns`: numbers (i64, f32) and strings. `out` is empty.
  static Result<ParquetTable> create(OutputFile out, std::vector<Column> columns);

  /// Writes rows as a row group; `values`: one a column. A page of theirs is below 2 GB.
  Result<void> append(std::uint64_t num_rows, std::span<const PlainValues> values);
  /// Does everything that could keep finish() from putting the file in place.
  Result<void> prepare();
  Result<void> finish() { return out_.finish(); }

 private:
  explicit ParquetTable(OutputFile out) : out_(std::move(out)) {}

  OutputFile out_;
  Footer footer_;
};

}  // namespace embd::parquet
