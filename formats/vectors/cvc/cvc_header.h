#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "embd/recipe.h"
#include "formats/vectors/cvc/cvc_layout.h"

namespace embd::cvc {

/// A column of a columnar file. A file that is not columnar has one column without a name.
struct Column {
  std::string name;
  std::uint64_t dim = 0;
  ElementType type = ElementType::f32;
  /// The encoding of a chunk that does not state one.
  Encoding encoding = Encoding::fp16;
};

/// The part of one column in one chunk.
struct Slice {
  Encoding encoding = Encoding::fp16;
  std::uint64_t offset = 0;  ///< Where the part begins in the payload of the chunk.
  std::uint64_t size = 0;    ///< The size in bytes.
  float min = 0;             ///< The value of code 0. Only int8 has `min` and `scale`.
  float scale = 1;
};

struct Chunk {
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
  /// Where the preamble of the chunk begins, from the header of a mmap_optimized file. In other
  /// files each chunk follows the one before.
  std::optional<std::uint64_t> file_offset;
  std::string metadata;  ///< A JSON object; empty if there is none.
};

/// A run of rows with metadata that the maker of the file gave.
struct Section {
  std::uint64_t first_row = 0;
  std::uint64_t end_row = 0;
  std::string metadata;  ///< A JSON object.
};

/// The header of a file: all that stands before its chunks. It is checked in itself, but not
/// against the chunks.
struct Header {
  unsigned major = 0;
  unsigned minor = 0;
  std::uint64_t json_offset = 0;
  std::uint64_t json_bytes = 0;
  bool columnar = false;
  bool mmap_optimized = false;
  std::uint64_t num_rows = 0;
  std::vector<Column> columns;  ///< At least one column.
  std::vector<Chunk> chunks;
  /// An array of shape [chunks, columns]. Only columnar files have offset and size.
  std::vector<Slice> slices;
  std::vector<Section> sections;
  std::optional<Recipe> recipe;

  std::uint64_t end() const noexcept { return json_offset + json_bytes; }
  Bytes json(Bytes file) const noexcept { return file.subspan(json_offset, json_bytes); }
  const Slice& slice(std::size_t chunk, std::size_t column) const noexcept {
    return slices[chunk * columns.size() + column];
  }
};

/// Reads the header from the bytes of a whole file. Checks that the rows of all chunks add up to
/// `num_rows`, that sections are in order and inside the rows, and that every int8 slice has its
/// range.
Result<Header> parse_header(Bytes file);

}  // namespace embd::cvc
