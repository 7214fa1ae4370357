#include "formats/vectors/finalfusion/finalfusion_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "formats/vectors/finalfusion/metadata.h"

namespace embd::finalfusion {
namespace {

bool is_vocabulary(ChunkId id) {
  switch (id) {
    case ChunkId::simple_vocabulary:
    case ChunkId::bucket_vocabulary:
    case ChunkId::fasttext_vocabulary:
    case ChunkId::explicit_vocabulary:
    case ChunkId::floret_vocabulary:
      return true;
    default:
      return false;
  }
}

bool is_storage(ChunkId id) {
  return id == ChunkId::array || id == ChunkId::quantized_array;
}

/// Reads the chunk ids in the header. A reader needs only the first, which says if there is
/// metadata. The others may disagree with the chunks, as they do in early files.
Result<std::vector<std::uint32_t>> read_header(ByteReader& reader) {
  const std::string_view found = as_text(EMBD_TRY(reader.bytes(magic.size(), "magic")));
  if (found != magic) {
    return std::unexpected(
        Error(ErrorCode::bad_magic,
              fmt::format("the file begins with {:?}, expected {:?}", found, magic))
            .at_offset(0));
  }
  const std::uint32_t found_version = EMBD_TRY(reader.u32("version"));
  if (found_version != version) {
    return std::unexpected(Error(ErrorCode::unsupported_version,
                                 fmt::format("the version is {}, expected 0", found_version))
                               .at_offset(4));
  }
  const std::uint32_t num_chunks = EMBD_TRY(reader.u32("number of chunks"));
  if (num_chunks == 0 || num_chunks > reader.remaining() / sizeof(std::uint32_t)) {
    return std::unexpected(Error(ErrorCode::bad_count,
                                 fmt::format("the header has {} chunks, expected at least 1, and 4 "
                                             "bytes for each of them in the {} bytes that are left",
                                             num_chunks, reader.remaining()))
                               .at_offset(8));
  }
  std::vector<std::uint32_t> ids(num_chunks);
  for (std::uint32_t& id : ids) {
    const std::uint64_t offset = reader.offset();
    id = EMBD_TRY(reader.u32("chunk id"));
    if (id == 0 || id > last_chunk_id) {
      return std::unexpected(
          Error(ErrorCode::bad_type,
                fmt::format("a chunk id in the header is {}, expected 1 to 9", id))
              .at_offset(offset));
    }
  }
  return ids;
}

/// Reads chunk after chunk and records their places.
class ChunkReader {
 public:
  ChunkReader(ByteReader reader, std::vector<Chunk>& chunks) : reader_(reader), chunks_(chunks) {}

  ByteReader& body() noexcept { return reader_; }

  /// Reads the id and the length of the next chunk.
  Result<Chunk> begin(std::string_view expected, bool (*fits)(ChunkId)) {
    Chunk chunk = {};
    chunk.offset = reader_.offset();
    const std::uint32_t id = EMBD_TRY(reader_.u32("chunk id"));
    chunk.id = ChunkId(id);
    if (id > last_chunk_id || !fits(chunk.id)) {
      return std::unexpected(
          Error(ErrorCode::bad_type,
                fmt::format("the id of the chunk is {}, expected {}", id, expected))
              .at_offset(chunk.offset));
    }
    chunk.length_field = EMBD_TRY(reader_.u64("chunk length"));
    return chunk;
  }

  void end(Chunk chunk) {
    chunk.body_bytes = reader_.offset() - chunk.offset - chunk_head_bytes;
    chunks_.push_back(chunk);
  }

 private:
  ByteReader reader_;
  std::vector<Chunk>& chunks_;
};

/// Reads the metadata, the only chunk whose length field must be right.
Result<std::string_view> read_metadata(ChunkReader& chunks) {
  const Chunk chunk = EMBD_TRY(chunks.begin("metadata (5), as the header says",
                                            [](ChunkId id) { return id == ChunkId::metadata; }));
  const std::uint64_t offset = chunks.body().offset();
  const std::string_view text = EMBD_TRY(chunks.body().text(chunk.length_field, "metadata"));
  if (auto checked = check_metadata(text); !checked)
    return std::unexpected(std::move(checked).error().at_offset(offset));
  chunks.end(chunk);
  return text;
}

Result<VocabularyChunk> read_vocabulary(ChunkReader& chunks) {
  const Chunk chunk = EMBD_TRY(chunks.begin("a vocabulary (1, 3, 7, 8 or 9)", is_vocabulary));
  VocabularyChunk vocabulary = EMBD_TRY(VocabularyChunk::read(chunk.id, chunks.body()));
  chunks.end(chunk);
  return vocabulary;
}

Result<Storage> read_storage(std::uint64_t num_rows, ChunkReader& chunks) {
  const Chunk chunk = EMBD_TRY(chunks.begin("storage (2 or 4)", is_storage));
  Storage storage = EMBD_TRY(Storage::read(chunk.id, num_rows, chunks.body()));
  chunks.end(chunk);
  return storage;
}

Result<std::span<const float>> read_norms(std::uint64_t num_words, ChunkReader& chunks) {
  const Chunk chunk = EMBD_TRY(chunks.begin("norms (6) or the end of the file",
                                            [](ChunkId id) { return id == ChunkId::norms; }));
  const std::uint64_t offset = chunks.body().offset();
  const std::uint64_t count = EMBD_TRY(chunks.body().u64("number of norms"));
  const std::uint32_t type = EMBD_TRY(chunks.body().u32("norm type"));
  if (count != num_words) {
    return std::unexpected(
        Error(ErrorCode::bad_count,
              fmt::format("there are {} norms for {} words, expected one norm for each word", count,
                          num_words))
            .at_offset(offset));
  }
  if (type != type_f32) {
    return std::unexpected(
        Error(ErrorCode::bad_type,
              fmt::format("the type of the norms is {}, expected 10 (f32)", type))
            .at_offset(offset + sizeof(count)));
  }
  const auto norms = EMBD_TRY(read_padded_floats(count, chunks.body(), "norms"));
  chunks.end(chunk);
  return norms;
}

}  // namespace

Result<Parts> read_parts(Bytes file) {
  ByteReader reader(file);
  std::vector<std::uint32_t> header_ids = EMBD_TRY(read_header(reader));
  std::vector<Chunk> chunks;
  ChunkReader chunk_reader(reader, chunks);
  std::optional<std::string_view> metadata;
  if (header_ids.front() == std::uint32_t(ChunkId::metadata))
    metadata = EMBD_TRY(read_metadata(chunk_reader));
  VocabularyChunk vocabulary = EMBD_TRY(read_vocabulary(chunk_reader));
  const Storage storage = EMBD_TRY(read_storage(vocabulary.num_rows(), chunk_reader));
  std::optional<std::span<const float>> norms;
  if (chunk_reader.body().remaining() != 0)
    norms = EMBD_TRY(read_norms(vocabulary.num_words(), chunk_reader));
  return Parts{.header_ids = std::move(header_ids),
               .chunks = std::move(chunks),
               .metadata = metadata,
               .vocabulary = std::move(vocabulary),
               .storage = storage,
               .norms = norms,
               .trailing_bytes = chunk_reader.body().remaining()};
}

}  // namespace embd::finalfusion
