#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/vectors/finalfusion/storage.h"
#include "formats/vectors/finalfusion/vocabulary_chunk.h"

namespace embd::finalfusion {

struct Chunk {
  ChunkId id;
  std::uint64_t offset = 0;        ///< Where the chunk's id is in the file.
  std::uint64_t length_field = 0;  ///< The length that the file states.
  std::uint64_t body_bytes = 0;    ///< The actual length of the body.
};

/// The parts of a finalfusion file. All of them refer to the bytes of the file.
struct Parts {
  std::vector<std::uint32_t> header_ids;
  std::vector<Chunk> chunks;
  std::optional<std::string_view> metadata;  ///< TOML, checked
  VocabularyChunk vocabulary;
  Storage storage;
  std::optional<std::span<const float>> norms;  ///< The original lengths of the rows of words.
  std::uint64_t trailing_bytes = 0;  ///< The bytes after the norms, which readers ignore.
};

/// Reads the structure of a file and checks everything but the float values. A file that both
/// reference libraries read in the same way is accepted; all others are refused. `file` must be at
/// an address that is a multiple of 4 and outlive the parts. This reads the vocabulary, and the
/// codes if there are fewer than 256 centroids. Float32 rows are not read.
Result<Parts> read_parts(Bytes file);

}  // namespace embd::finalfusion
