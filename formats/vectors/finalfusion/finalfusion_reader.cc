#include "formats/vectors/finalfusion/finalfusion_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/try.h"
#include "formats/vectors/finalfusion/metadata.h"

namespace embd::finalfusion {
namespace {

/// Returns Σ a[i] · b[i]. It keeps eight partial sums, so that compilers can use vector
/// instructions without changing the result.
inline float dot(const float* a, const float* b, std::size_t size) noexcept {
  float sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (std::size_t lane = 0; i < size; ++i, ++lane) sums[lane] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

Result<void> expect_type(std::uint32_t expected, std::string_view field, ByteReader& reader) {
  const std::uint64_t offset = reader.offset();
  const std::uint32_t found = EMBD_TRY(reader.u32(field));
  if (found == expected) return {};
  return std::unexpected(
      Error(ErrorCode::bad_type, fmt::format("the {} is {}, expected {} ({})", field, found,
                                             expected, expected == type_f32 ? "f32" : "u8"))
          .at_offset(offset));
}

Result<void> expect_rows(std::uint64_t expected, std::uint64_t found, std::uint64_t offset) {
  if (found == expected) return {};
  return std::unexpected(
      Error(ErrorCode::bad_count,
            fmt::format("the storage has {} rows, but the vocabulary needs {}", found, expected))
          .at_offset(offset));
}

/// Reads `count` floats at an offset that is a multiple of 4; the address of the mapped file is
/// one, too.
Result<std::span<const float>> read_floats(std::uint64_t count, ByteReader& reader,
                                           std::string_view field) {
  const Bytes bytes = EMBD_TRY(reader.array(count, sizeof(float), field));
  return std::span(reinterpret_cast<const float*>(bytes.data()), count);
}

}  // namespace

Result<std::span<const float>> read_padded_floats(std::uint64_t count, ByteReader& reader,
                                                  std::string_view field) {
  EMBD_TRY(reader.skip(padding(reader.offset()), "padding"));
  return read_floats(count, reader, field);
}

Result<Storage> Storage::read(ChunkId kind, std::uint64_t num_rows, ByteReader& reader) {
  Storage storage;
  if (kind == ChunkId::array) {
    EMBD_TRY(storage.read_array(num_rows, reader));
  } else {
    EMBD_TRY(storage.read_quantized(num_rows, reader));
  }
  return storage;
}

Result<void> Storage::read_array(std::uint64_t num_rows, ByteReader& reader) {
  const std::uint64_t offset = reader.offset();
  num_rows_ = EMBD_TRY(reader.u64("rows"));
  dim_ = EMBD_TRY(reader.u32("columns"));
  EMBD_TRY(expect_type(type_f32, "element type", reader));
  EMBD_TRY(expect_rows(num_rows, num_rows_, offset));
  if (dim_ != 0 && num_rows_ > reader.remaining() / sizeof(float) / dim_) {
    return std::unexpected(
        Error(ErrorCode::file_too_short,
              fmt::format("the matrix takes {} × {} × 4 bytes, but only {} are left", num_rows_,
                          dim_, reader.remaining()))
            .at_offset(reader.offset()));
  }
  values_ = EMBD_TRY(read_padded_floats(num_rows_ * dim_, reader, "matrix"));
  return {};
}

Result<void> Storage::read_quantized(std::uint64_t num_rows, ByteReader& reader) {
  const bool projected = EMBD_TRY(reader.u32("projection flag")) != 0;
  const bool normed = EMBD_TRY(reader.u32("norms flag")) != 0;
  const std::uint64_t offset = reader.offset();
  num_slices_ = EMBD_TRY(reader.u32("quantized length"));
  dim_ = EMBD_TRY(reader.u32("reconstructed length"));
  num_centroids_ = EMBD_TRY(reader.u32("number of centroids"));
  if (num_slices_ == 0 || dim_ == 0 || dim_ % num_slices_ != 0 || num_centroids_ == 0) {
    return std::unexpected(
        Error(ErrorCode::bad_value,
              fmt::format("{} subquantizers divide {} values and have {} centroids each, expected "
                          "a divisor of the number of values and at least one centroid",
                          num_slices_, dim_, num_centroids_))
            .at_offset(offset));
  }
  const std::uint64_t rows_offset = reader.offset();
  num_rows_ = EMBD_TRY(reader.u64("rows"));
  EMBD_TRY(expect_type(type_u8, "quantized type", reader));
  EMBD_TRY(expect_type(type_f32, "reconstructed type", reader));
  EMBD_TRY(expect_rows(num_rows, num_rows_, rows_offset));
  projection_ = EMBD_TRY(read_padded_floats(projected ? dim_ * dim_ : 0, reader, "projection"));
  codebooks_ = EMBD_TRY(read_floats(dim_ * num_centroids_, reader, "codebooks"));
  if (normed) norms_ = EMBD_TRY(read_floats(num_rows_, reader, "quantizer norms"));
  const std::uint64_t codes_offset = reader.offset();
  codes_ = EMBD_TRY(reader.array(num_rows_, num_slices_, "codes"));
  if (num_centroids_ >= max_centroids) return {};
  const auto out_of_range = [this](std::byte code) {
    return std::uint32_t(code) >= num_centroids_;
  };
  const auto bad = std::ranges::find_if(codes_, out_of_range);
  if (bad == codes_.end()) return {};
  return std::unexpected(
      Error(ErrorCode::bad_value,
            fmt::format("a code is {}, but a subquantizer has {} centroids, counted from 0",
                        std::uint32_t(*bad), num_centroids_))
          .at_offset(codes_offset + static_cast<std::uint64_t>(bad - codes_.begin())));
}

std::optional<MatrixView> Storage::view() const noexcept {
  if (quantized()) return std::nullopt;
  return MatrixView(values_.data(), num_rows_, dim_);
}

void Storage::read(std::uint64_t first, std::span<float> out) const {
  if (out.empty()) return;
  if (!quantized()) {
    std::memcpy(out.data(), values_.data() + first * dim_, out.size_bytes());
    return;
  }
  std::vector<float> turned(dim_);
  for (std::uint64_t row = first; !out.empty(); ++row, out = out.subspan(dim_)) {
    const std::span<float> target = out.first(dim_);
    const std::span<float> x = has_projection() ? std::span(turned) : target;
    auto next = x.begin();
    for (std::uint32_t slice = 0; slice < num_slices_; ++slice) {
      const auto code = std::uint8_t(codes_[row * num_slices_ + slice]);
      next = std::ranges::copy(centroid(slice, code), next).out;
    }
    if (has_projection())
      for (std::uint64_t i = 0; i < dim_; ++i)
        target[i] = dot(projection_.data() + i * dim_, x.data(), dim_);
    if (has_norms())
      for (float& value : target) value *= norms_[row];
  }
}

void Storage::for_each_dot(std::span<const float> query, std::uint64_t num_rows,
                           const std::function<void(std::uint64_t, float)>& use) const {
  if (!quantized()) {
    for (std::uint64_t row = 0; row < num_rows; ++row)
      use(row, dot(query.data(), values_.data() + row * dim_, dim_));
    return;
  }
  // query · (x·Pᵀ) = (query·P) · x, and each slice of x is one of a few centroids. So the products
  // with all centroids are computed once, and a row adds one of them per slice.
  std::vector<float> turned(query.begin(), query.end());
  if (has_projection()) {
    std::ranges::fill(turned, 0.0F);
    for (std::uint64_t i = 0; i < dim_; ++i)
      for (std::uint64_t j = 0; j < dim_; ++j) turned[j] += query[i] * projection_[i * dim_ + j];
  }
  const std::uint64_t slice_dim = dim_ / num_slices_;
  const std::uint64_t used_centroids = std::min(num_centroids_, max_centroids);
  std::vector<float> products(num_slices_ * used_centroids);
  for (std::uint32_t slice = 0; slice < num_slices_; ++slice)
    for (std::uint64_t code = 0; code < used_centroids; ++code)
      products[slice * used_centroids + code] =
          dot(turned.data() + slice * slice_dim,
              centroid(slice, static_cast<std::uint8_t>(code)).data(), slice_dim);
  for (std::uint64_t row = 0; row < num_rows; ++row) {
    float sum = 0;
    for (std::uint32_t slice = 0; slice < num_slices_; ++slice)
      sum += products[slice * used_centroids + std::uint8_t(codes_[row * num_slices_ + slice])];
    use(row, has_norms() ? sum * norms_[row] : sum);
  }
}

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
