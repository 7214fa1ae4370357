#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.h"
#include "base/temporary_files.h"
#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/recipe.h"
#include "formats/vectors/cvc/cvc_header.h"

namespace embd::cvc {

struct WriterOptions {
  /// The number of rows of a chunk. 0 means 100,000, or as many as a chunk can hold if rows are
  /// large.
  std::uint64_t chunk_rows = 0;
  /// The number of all rows, if it is known. The header can then be written before the rows, which
  /// saves a temporary file. This is not possible with sections, chunk metadata or the mapped
  /// layout, nor with an int8 column whose rows come in several calls.
  std::optional<std::uint64_t> num_rows = {};
  /// Begins every chunk on a new page and stores its place in the header. For files with one column
  /// only.
  bool mmap_optimized = false;
  /// The recipe to be stored in the header, where other programs ignore it.
  std::optional<Recipe> recipe = {};
};

/// Writes a CVC file. Except for the recipe, its bytes are those that the reference package writes
/// for the same rows, sections and chunk metadata. It needs memory for one chunk, and a few bytes
/// for every chunk and section. If the header needs what is known only at the end, finished chunks
/// wait in a temporary file. Not thread-safe.
class Writer {
 public:
  /// Begins a file of version 1 with float32 rows of `dim` values, stored as fp16, int8 or
  /// lossless.
  static Result<Writer> create(const std::filesystem::path& path, std::uint64_t dim,
                               Encoding encoding, const WriterOptions& options = {});
  /// Begins a file of version 2 with these columns, each stored as fp16, int8 or none. Names must
  /// be UTF-8, not blank, and distinct.
  static Result<Writer> create_columnar(const std::filesystem::path& path,
                                        std::vector<Column> columns,
                                        const WriterOptions& options = {});

  /// Begins a section, which ends where the next one begins. Either all rows are in sections or
  /// none. `metadata` is a JSON object. Fails with invalid_argument if rows came before the first
  /// section.
  Result<void> begin_section(std::string_view metadata);
  /// Ends the current chunk. The next row begins a new one, of at most chunk_rows rows. `metadata`
  /// is a JSON object, or empty for none. The first call must come before the first row; otherwise
  /// it fails with invalid_argument.
  Result<void> begin_chunk(std::string_view metadata);

  /// Appends rows to a file with one float32 column.
  Result<void> append(MatrixView rows);
  /// Appends rows to all columns. `values` has, for each column, the values of these rows in its
  /// own type, [rows, dim].
  Result<void> append(std::uint64_t rows, std::span<const Bytes> values);
  /// Completes the file and puts it in place.
  Result<void> finish();

 private:
  /// The place of a chunk's payload, and what its preamble says.
  struct Stored {
    std::uint64_t offset = 0;  // Of the payload in the spill file, or of the preamble in the file.
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
  Header header_;         // Has the finished chunks; all chunks if the header is written already.
  bool planned_ = false;  // True if the header is written and chunks follow it directly.
  // True after begin_chunk(): the sizes of chunks are not known in advance.
  bool has_begun_chunks_ = false;
  std::uint64_t num_rows_ = 0;
  std::string next_metadata_;  // The metadata of the chunk to which the next row goes.

  std::uint64_t chunk_rows_ = 0;  // The rows of the current chunk so far.
  Stored chunk_;                  // The payload of the current chunk so far.
  // The values of the current chunk that are not in its payload yet, by column.
  std::vector<std::vector<std::byte>> pending_;
  std::vector<Stored> stored_;  // The finished chunks.
};

}  // namespace embd::cvc
