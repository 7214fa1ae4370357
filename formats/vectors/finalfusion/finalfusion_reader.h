#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/vectors/finalfusion/storage.h"
#include "formats/vectors/finalfusion/vocabulary_chunk.h"

namespace embd::finalfusion {

struct Chunk {
  ChunkId id;
  std::uint64_t offset = 0;        ///< of the chunk's id in the file
  std::uint64_t length_field = 0;  ///< as the file says it
  std::uint64_t body_bytes = 0;    ///< as they are
};

/// The parts of a finalfusion file, all of them views into its bytes.
struct Parts {
  std::vector<std::uint32_t> header_ids;
  std::vector<Chunk> chunks;
  std::optional<std::string_view> metadata;  ///< TOML, checked
  VocabularyChunk vocabulary;
  Storage storage;
  std::optional<std::span<const float>> norms;  ///< original lengths of the word rows
  std::uint64_t trailing_bytes = 0;             ///< after the norms; readers look at none of them
};

/// Takes a file apart, checking everything but the float values: what both reference libraries read
/// alike is accepted, all else refused. `file` lies at an address that is a multiple of 4, and
/// outlives the parts. Reads the vocabulary, and codes of fewer than 256 centroids; float32 rows
/// are not touched.
Result<Parts> read_parts(Bytes file);

}  // namespace embd::finalfusion
