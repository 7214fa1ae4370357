#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.h"
#include "base/spill_file.h"
#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/recipe.h"
#include "formats/vectors/cvc/cvc_header.h"

namespace embd::cvc {

struct WriterOptions {
  std::uint64_t chunk_rows = 0;  ///< 0: 100,000, or as many as a chunk can hold
  /// Rows to come, where that is known: the header can then be written before them, unless the file
  /// has sections, chunk metadata, the mapped layout, or an int8 column whose rows come in parts.
  std::optional<std::uint64_t> num_rows = {};
  /// Every chunk on a page of its own and its place in the header. Single-column files only.
  bool mmap_optimized = false;
  /// Kept in the header under a key that other readers ignore.
  std::optional<Recipe> recipe = {};
};

/// Writes a CVC file, byte for byte as the reference package writes the same rows, sections and
/// chunk metadata (but for the recipe). Memory grows with a chunk, and by a few bytes for every
/// chunk and section; finished chunks wait in a temporary file where the header before them holds
/// what is known only at the end. Not thread-safe.
class Writer {
 public:
  /// A version 1 file of float32 rows, [rows, dim], stored as fp16, int8 or lossless.
  static Result<Writer> create(const std::filesystem::path& path, std::uint64_t dim,
                               Encoding encoding, const WriterOptions& options = {});
  /// A version 2 file of these columns, each stored as fp16, int8 or none. Names are UTF-8, not
  /// blank, and no two alike.
  static Result<Writer> create_columnar(const std::filesystem::path& path,
                                        std::vector<Column> columns,
                                        const WriterOptions& options = {});

  /// Starts a section: the rows from here to the next one. All rows are in sections or none.
  /// `metadata`: a JSON object.
  Result<void> begin_section(std::string_view metadata);
  /// Sets the metadata of the chunk that the next row goes to. `metadata`: a JSON object.
  Result<void> set_chunk_metadata(std::string_view metadata);
  /// Ends the chunk that rows go to; the next row begins another, of at most chunk_rows rows.
  /// `metadata`: as above, or empty for none. Before the first row, or after another call.
  Result<void> begin_chunk(std::string_view metadata);

  /// Rows of a file with one float32 column.
  Result<void> append(MatrixView rows);
  /// `values`: the next rows of every column in its own type, [rows, dim] each.
  Result<void> append(std::uint64_t rows, std::span<const Bytes> values);
  /// Completes the file, which appears now.
  Result<void> finish();

 private:
  /// Where the payload of a chunk lies, and what its preamble says.
  struct Stored {
    std::uint64_t offset = 0;  // in the spill file, or of the preamble in the file
    std::uint32_t size = 0;
    std::uint32_t crc = 0;
  };

  Writer(OutputFile file, SpillFile spill) : file_(std::move(file)), spill_(std::move(spill)) {}
  static Result<Writer> create(const std::filesystem::path& path, bool columnar,
                               std::vector<Column> columns, const WriterOptions& options);

  Result<void> append_rows(std::uint64_t rows, std::span<const Bytes> values);
  Result<void> write_file();
  Result<void> check_values(std::uint64_t rows, std::span<const Bytes> values) const;
  std::vector<Bytes> rows_of(std::span<const Bytes> values, std::uint64_t first,
                             std::uint64_t count) const;

  bool can_plan(std::uint64_t rows) const;
  Result<void> begin_file(std::span<const Bytes> values);
  Result<void> write_head(std::string_view json);
  std::uint64_t rows_left_in_chunk() const;
  Result<void> begin_chunk();
  Result<void> add_to_chunk(std::uint64_t rows, std::span<const Bytes> values);
  Result<void> put_or_keep(std::size_t column, Bytes values);
  Result<void> put(Bytes stored);
  Result<void> put_column(std::size_t column, const Slice& slice, Bytes values);
  Result<void> finish_pending();
  Result<void> finish_chunk(std::span<const Bytes> values);
  std::string place_chunks();

  OutputFile file_;
  SpillFile spill_;
  WriterOptions options_;
  Header header_;                  // its chunks are the finished ones, or all if it is written
  bool planned_ = false;           // the header is written, chunks go straight behind it
  bool has_begun_chunks_ = false;  // by begin_chunk(): their sizes are not known before
  std::uint64_t num_rows_ = 0;
  std::string next_metadata_;  // of the chunk that the next row goes to

  std::uint64_t chunk_rows_ = 0;                 // of the one being filled
  Stored chunk_;                                 // of it, so far
  std::vector<std::vector<std::byte>> pending_;  // of it, by column: values not in the payload yet
  std::vector<Stored> stored_;                   // of the finished ones
};

}  // namespace embd::cvc
