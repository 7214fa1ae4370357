#include "formats/vectors/finalfusion/finalfusion_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/try.h"

namespace embd::finalfusion {
namespace {

/// The greatest number that the Rust crate accepts; the Python package accepts twice as many.
constexpr std::uint32_t max_fasttext_buckets = 0x7fffffff;
constexpr std::uint32_t max_bucket_exponent = 63;

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
  return fail_at(offset, ErrorCode::bad_type, "the {} is {}, expected {} ({})", field, found,
                 expected, expected == type_f32 ? "f32" : "u8");
}

Result<void> expect_rows(std::uint64_t expected, std::uint64_t found, std::uint64_t offset) {
  if (found == expected) return {};
  return fail_at(offset, ErrorCode::bad_count,
                 "the storage has {} rows, but the vocabulary needs {}", found, expected);
}

/// Reads `count` floats at an offset that is a multiple of 4; the address of the mapped file is
/// one, too.
Result<std::span<const float>> read_floats(std::uint64_t count, ByteReader& reader,
                                           std::string_view field) {
  const Bytes bytes = EMBD_TRY(reader.array(count, sizeof(float), field));
  return std::span(reinterpret_cast<const float*>(bytes.data()), count);
}

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
    return fail_at(0, ErrorCode::bad_magic, "the file begins with {:?}, expected {:?}", found,
                   magic);
  }
  const std::uint32_t found_version = EMBD_TRY(reader.u32("version"));
  if (found_version != version) {
    return fail_at(4, ErrorCode::unsupported_version, "the version is {}, expected 0",
                   found_version);
  }
  const std::uint32_t num_chunks = EMBD_TRY(reader.u32("number of chunks"));
  if (num_chunks == 0 || num_chunks > reader.remaining() / sizeof(std::uint32_t)) {
    return fail_at(8, ErrorCode::bad_count,
                   "the header has {} chunks, expected at least 1, and 4 "
                   "bytes for each of them in the {} bytes that are left",
                   num_chunks, reader.remaining());
  }
  std::vector<std::uint32_t> ids(num_chunks);
  for (std::uint32_t& id : ids) {
    const std::uint64_t offset = reader.offset();
    id = EMBD_TRY(reader.u32("chunk id"));
    if (id == 0 || id > last_chunk_id) {
      return fail_at(offset, ErrorCode::bad_type, "a chunk id in the header is {}, expected 1 to 9",
                     id);
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
      return fail_at(chunk.offset, ErrorCode::bad_type, "the id of the chunk is {}, expected {}",
                     id, expected);
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
    return fail_at(offset, ErrorCode::bad_count,
                   "there are {} norms for {} words, expected one norm for each word", count,
                   num_words);
  }
  if (type != type_f32) {
    return fail_at(offset + sizeof(count), ErrorCode::bad_type,
                   "the type of the norms is {}, expected 10 (f32)", type);
  }
  const auto norms = EMBD_TRY(read_padded_floats(count, chunks.body(), "norms"));
  chunks.end(chunk);
  return norms;
}

}  // namespace

void VocabularyChunk::Strings::reserve(std::uint64_t count, std::uint64_t remaining) {
  // A string takes 4 bytes in the file and 8 here: a hostile count shall not take more memory than
  // the file has bytes.
  const std::uint64_t believable = std::min(count, remaining / 24);
  texts_.reserve(believable);
  table_ = StringTable(believable);
}

Result<void> VocabularyChunk::Strings::read(ByteReader& reader, std::string_view field) {
  const std::uint64_t offset = reader.offset();
  const std::uint32_t size = EMBD_TRY(reader.u32(field));
  const std::string_view text = EMBD_TRY(reader.text(size, field));
  const auto at = [this](std::uint64_t i) { return this->text(i); };
  if (const auto earlier = table_.insert(text, texts_.size(), at)) {
    return fail_at(offset, ErrorCode::duplicate, "{} {}, {:?}, has the same text as {} {}", field,
                   texts_.size(), text.substr(0, 80), field, *earlier);
  }
  texts_.push_back(text.data());
  return {};
}

std::string_view VocabularyChunk::Strings::text(std::uint64_t i) const noexcept {
  const char* text = texts_[i];
  std::uint32_t size;
  std::memcpy(&size, text - sizeof(size), sizeof(size));
  return {text, size};
}

std::optional<std::uint64_t> VocabularyChunk::Strings::find(std::string_view text) const {
  return table_.find(text, [this](std::uint64_t i) { return this->text(i); });
}

Result<VocabularyChunk> VocabularyChunk::read(ChunkId kind, ByteReader& reader) {
  VocabularyChunk vocabulary;
  vocabulary.chunk_ = kind;
  if (kind == ChunkId::floret_vocabulary) {
    EMBD_TRY(vocabulary.read_floret(reader));
    return vocabulary;
  }
  const std::uint64_t num_words = EMBD_TRY(reader.u64("number of words"));
  switch (kind) {
    case ChunkId::bucket_vocabulary:
    case ChunkId::fasttext_vocabulary:
      EMBD_TRY(vocabulary.read_ngram_lengths(reader));
      EMBD_TRY(vocabulary.read_buckets(reader));
      EMBD_TRY(vocabulary.read_words(num_words, reader));
      break;
    case ChunkId::explicit_vocabulary: {
      const std::uint64_t num_ngrams = EMBD_TRY(reader.u64("number of n-grams"));
      EMBD_TRY(vocabulary.read_ngram_lengths(reader));
      EMBD_TRY(vocabulary.read_words(num_words, reader));
      EMBD_TRY(vocabulary.read_ngrams(num_ngrams, reader));
      break;
    }
    default:
      EMBD_TRY(vocabulary.read_words(num_words, reader));
  }
  return vocabulary;
}

Result<void> VocabularyChunk::read_words(std::uint64_t count, ByteReader& reader) {
  if (count > reader.remaining() / sizeof(std::uint32_t)) {
    return fail_at(
        reader.offset(), ErrorCode::bad_count,
        "the vocabulary has {} words of at least 4 bytes each, but only {} bytes are left", count,
        reader.remaining());
  }
  words_.reserve(count, reader.remaining());
  for (std::uint64_t i = 0; i < count; ++i) EMBD_TRY(words_.read(reader, "word"));
  return {};
}

Result<void> VocabularyChunk::read_ngram_lengths(ByteReader& reader) {
  const std::uint64_t offset = reader.offset();
  min_n_ = EMBD_TRY(reader.u32("shortest n-gram"));
  max_n_ = EMBD_TRY(reader.u32("longest n-gram"));
  if (min_n_ == 0 || max_n_ < min_n_) {
    return fail_at(offset, ErrorCode::bad_value,
                   "the n-grams have {} to {} code points, expected 1 ≤ shortest ≤ longest", min_n_,
                   max_n_);
  }
  return {};
}

Result<void> VocabularyChunk::read_buckets(ByteReader& reader) {
  const std::uint64_t offset = reader.offset();
  const std::uint32_t number = EMBD_TRY(reader.u32("buckets"));
  if (chunk_ == ChunkId::bucket_vocabulary) {
    if (number == 0 || number > max_bucket_exponent) {
      return fail_at(offset, ErrorCode::bad_value,
                     "there are 2^{} buckets, expected an exponent from 1 to 63", number);
    }
    num_subword_rows_ = std::uint64_t{1} << number;
    return {};
  }
  if (number == 0 || number > max_fasttext_buckets) {
    return fail_at(offset, ErrorCode::bad_value, "there are {} buckets, expected 1 to {}", number,
                   max_fasttext_buckets);
  }
  num_subword_rows_ = number;
  return {};
}

Result<void> VocabularyChunk::read_ngrams(std::uint64_t count, ByteReader& reader) {
  constexpr std::uint64_t min_entry_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  if (count == 0 || count > reader.remaining() / min_entry_bytes) {
    return fail_at(reader.offset(), ErrorCode::bad_count,
                   "the vocabulary has {} n-grams of at least {} bytes each in the {} "
                   "bytes that are left, expected at least one n-gram and room for all",
                   count, min_entry_bytes, reader.remaining());
  }
  ngrams_.reserve(count, reader.remaining());
  std::vector<bool> used(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    EMBD_TRY(ngrams_.read(reader, "n-gram"));
    const std::uint64_t offset = reader.offset();
    const std::uint64_t index = EMBD_TRY(reader.u64("n-gram index"));
    if (index >= count) {
      return fail_at(offset, ErrorCode::bad_value,
                     "n-gram {} has the index {}, but {} n-grams need indexes from 0 without a gap",
                     i, index, count);
    }
    used[index] = true;
    ngram_indices_.push_back(index);
    num_subword_rows_ = std::max(num_subword_rows_, index + 1);
  }
  const auto gap = std::find(used.begin(), used.begin() + num_subword_rows_, false);
  if (gap != used.begin() + num_subword_rows_) {
    return fail_at(
        reader.offset(), ErrorCode::bad_value,
        "no n-gram has the index {}, but one has the index {}, expected indexes without a gap",
        gap - used.begin(), num_subword_rows_ - 1);
  }
  return {};
}

Result<void> VocabularyChunk::read_floret(ByteReader& reader) {
  EMBD_TRY(read_ngram_lengths(reader));
  const std::uint64_t offset = reader.offset();
  num_subword_rows_ = EMBD_TRY(reader.u64("buckets"));
  num_hashes_ = EMBD_TRY(reader.u32("hashes an n-gram"));
  if (num_subword_rows_ == 0 || num_hashes_ == 0 || num_hashes_ > 4) {
    return fail_at(offset, ErrorCode::bad_value,
                   "there are {} buckets and {} hashes for each n-gram, expected at "
                   "least 1 bucket and 1 to 4 hashes",
                   num_subword_rows_, num_hashes_);
  }
  seed_ = EMBD_TRY(reader.u32("hash seed"));
  const std::uint32_t begin_size = EMBD_TRY(reader.u32("begin of word"));
  begin_of_word_ = EMBD_TRY(reader.text(begin_size, "begin of word"));
  const std::uint32_t end_size = EMBD_TRY(reader.u32("end of word"));
  end_of_word_ = EMBD_TRY(reader.text(end_size, "end of word"));
  return {};
}

std::optional<std::uint64_t> VocabularyChunk::find(std::string_view word) const {
  return words_.find(word);
}

std::vector<std::uint64_t> VocabularyChunk::subword_rows(std::string_view word) const {
  std::vector<std::uint64_t> rows;
  if (!has_subwords()) return rows;
  const Ngrams ngrams(word, begin_of_word_, end_of_word_);
  const auto add = [&](std::uint64_t bucket) { rows.push_back(num_words() + bucket); };
  const auto for_each = [&](const auto& use) { ngrams.for_each(min_n_, max_n_, use); };
  const auto add_floret = [&](std::string_view text) {
    const Hash128 hash = murmur3(text, seed_);
    const std::uint64_t halves[] = {hash.low, hash.high};
    for (std::uint32_t i = 0; i < num_hashes_; ++i)
      add(static_cast<std::uint32_t>(halves[i / 2] >> (32 * (i % 2))) % num_subword_rows_);
  };
  switch (chunk_) {
    case ChunkId::bucket_vocabulary:
      for_each([&](std::string_view n) { add(finalfusion_hash(n) & (num_subword_rows_ - 1)); });
      break;
    case ChunkId::fasttext_vocabulary:
      for_each([&](std::string_view n) { add(fasttext_hash(n) % num_subword_rows_); });
      break;
    case ChunkId::explicit_vocabulary:
      for_each([&](std::string_view n) {
        if (const auto found = ngrams_.find(n)) add(ngram_indices_[*found]);
      });
      break;
    default:
      add_floret(ngrams.bracketed());
      for_each(add_floret);
  }
  return rows;
}

std::optional<Subwords> VocabularyChunk::subword_parameters() const {
  if (!has_subwords()) return std::nullopt;
  Subwords subwords;
  subwords.kind = chunk_ == ChunkId::bucket_vocabulary     ? SubwordKind::bucket
                  : chunk_ == ChunkId::fasttext_vocabulary ? SubwordKind::fasttext
                  : chunk_ == ChunkId::explicit_vocabulary ? SubwordKind::ngrams
                                                           : SubwordKind::floret;
  subwords.num_words = num_words();
  subwords.num_rows = num_subword_rows_;
  subwords.min_n = min_n_;
  subwords.max_n = max_n_;
  subwords.num_hashes = num_hashes_;
  subwords.seed = seed_;
  subwords.begin_of_word = begin_of_word_;
  subwords.end_of_word = end_of_word_;
  return subwords;
}

std::optional<Subwords> VocabularyChunk::subwords() const {
  std::optional<Subwords> subwords = subword_parameters();
  if (!subwords) return std::nullopt;
  subwords->ngrams.reserve(ngrams_.size());
  for (std::uint64_t i = 0; i < ngrams_.size(); ++i)
    subwords->ngrams.emplace_back(ngrams_.text(i), ngram_indices_[i]);
  return subwords;
}

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
    return fail_at(reader.offset(), ErrorCode::file_too_short,
                   "the matrix takes {} × {} × 4 bytes, but only {} are left", num_rows_, dim_,
                   reader.remaining());
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
    return fail_at(offset, ErrorCode::bad_value,
                   "{} subquantizers divide {} values and have {} centroids each, expected "
                   "a divisor of the number of values and at least one centroid",
                   num_slices_, dim_, num_centroids_);
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
  return fail_at(codes_offset + static_cast<std::uint64_t>(bad - codes_.begin()),
                 ErrorCode::bad_value,
                 "a code is {}, but a subquantizer has {} centroids, counted from 0",
                 std::uint32_t(*bad), num_centroids_);
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
