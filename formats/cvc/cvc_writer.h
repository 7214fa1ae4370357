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
#include "formats/cvc/cvc_header.h"

namespace embd::cvc {

struct WriterOptions {
  std::uint64_t chunk_rows = 0;  ///< 0: 100,000, or as many as a chunk can hold
  /// Rows to come, where that is known: the header can then be written before them, unless a column
  /// is int8 or the file has sections, chunk metadata or the mapped layout.
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
  /// What to say of the chunk that the next row goes to. `metadata`: a JSON object.
  Result<void> set_chunk_metadata(std::string_view metadata);

  /// Rows of a file with one float32 column.
  Result<void> append(MatrixView rows);
  /// `values`: the next rows of every column in its own type, [rows, dim] each.
  Result<void> append(std::uint64_t rows, std::span<const Bytes> values);
  /// Completes the file, which appears now.
  Result<void> finish();

 private:
  /// A chunk that is in the spill file, or in the file itself.
  struct Finished {
    std::uint64_t rows = 0;
    std::uint64_t offset = 0;  // in the spill file, or of the preamble in the file
    std::uint32_t size = 0;
    std::uint32_t crc = 0;
    std::string metadata;  // empty: none
  };

  Writer(OutputFile file, SpillFile spill) : file_(std::move(file)), spill_(std::move(spill)) {}
  static Result<Writer> create(const std::filesystem::path& path, bool columnar,
                               std::vector<Column> columns, const WriterOptions& options);

  Result<void> append_rows(std::uint64_t rows, std::span<const Bytes> values);
  bool can_begin_file() const;
  Result<void> begin_file(std::uint64_t num_rows);
  Result<void> begin_chunk();
  Result<void> write_head(std::string_view json);
  Result<void> write_file();
  Result<void> add_to_chunk(std::uint64_t rows, std::span<const Bytes> values);
  Result<void> put_or_keep(std::size_t column, Bytes values);
  Result<void> put(Bytes stored);
  Result<Slice> put_column(std::size_t column, Bytes values);
  Result<void> finish_pending();
  Result<void> finish_chunk(std::span<const Bytes> values);
  std::string chunk_sections(const Finished& chunk, std::uint64_t first_row,
                             std::size_t& section) const;
  std::string chunk_json(std::size_t i, std::uint64_t first_row, std::size_t& section,
                         std::optional<std::uint64_t> file_offset) const;
  std::string header_json(std::optional<std::uint64_t> first_chunk_offset) const;

  OutputFile file_;
  SpillFile spill_;
  bool columnar_ = false;
  WriterOptions options_;
  std::vector<Column> columns_;
  std::uint64_t num_rows_ = 0;
  bool file_begun_ = false;        // its header is written, chunks go straight behind it
  std::vector<Section> sections_;  // ends are those of the next ones' beginnings

  Finished chunk_;                               // the one being filled
  std::vector<std::vector<std::byte>> pending_;  // of it, by column: values not in the payload yet
  std::vector<Finished> finished_;
  std::vector<Slice> slices_;  // [finished, columns]
};

}  // namespace embd::cvc
