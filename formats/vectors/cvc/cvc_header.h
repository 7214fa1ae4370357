#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "embd/recipe.h"
#include "formats/vectors/cvc/cvc_layout.h"

namespace embd::cvc {

/// A column of a columnar file. Any other file has one, without a name.
struct Column {
  std::string name;
  std::uint64_t dim = 0;
  ElementType type = ElementType::f32;
  /// The encoding of chunks that name none.
  Encoding encoding = Encoding::fp16;
};

/// One column's part of one chunk.
struct Slice {
  Encoding encoding = Encoding::fp16;
  std::uint64_t offset = 0;  ///< in the chunk's payload
  std::uint64_t size = 0;    ///< bytes
  float min = 0;             ///< int8 only, as is the scale
  float scale = 1;
};

struct Chunk {
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
  /// Where the chunk's preamble begins, as the header of a mmap_optimized file says; otherwise the
  /// chunk follows its predecessor.
  std::optional<std::uint64_t> file_offset;
  std::string metadata;  ///< JSON object; empty: none
};

/// Rows that came together, with what their maker said of them.
struct Section {
  std::uint64_t first_row = 0;
  std::uint64_t end_row = 0;
  std::string metadata;  ///< JSON object
};

/// The part of a file before its chunks, checked in itself but not against them.
struct Header {
  unsigned major = 0;
  unsigned minor = 0;
  std::uint64_t json_offset = 0;
  std::uint64_t json_bytes = 0;
  bool columnar = false;
  bool mmap_optimized = false;
  std::uint64_t num_rows = 0;
  std::vector<Column> columns;  ///< one or more
  std::vector<Chunk> chunks;
  std::vector<Slice> slices;  ///< [chunks, columns]; offset and size of a columnar file only
  std::vector<Section> sections;
  std::optional<Recipe> recipe;

  std::uint64_t end() const noexcept { return json_offset + json_bytes; }
  Bytes json(Bytes file) const noexcept { return file.subspan(json_offset, json_bytes); }
  const Slice& slice(std::size_t chunk, std::size_t column) const noexcept {
    return slices[chunk * columns.size() + column];
  }
};

/// Reads the header at the front of a whole file's bytes. Sum of the chunks' rows is `num_rows`,
/// sections are in order and inside, every int8 slice has its numbers.
Result<Header> parse_header(Bytes file);

}  // namespace embd::cvc
