#include "formats/vectors/finalfusion/vocabulary_chunk.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "formats/vectors/finalfusion/words.h"

namespace embd::finalfusion {
namespace {

/// The greatest number that the Rust crate accepts; the Python package accepts twice as many.
constexpr std::uint32_t max_fasttext_buckets = 0x7fffffff;
constexpr std::uint32_t max_bucket_exponent = 63;

Error error_at(std::uint64_t offset, ErrorCode code, std::string what) {
  return Error(code, std::move(what)).at_offset(offset);
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
    return std::unexpected(
        error_at(offset, ErrorCode::duplicate,
                 fmt::format("{} {}, {:?}, has the same text as {} {}", field, texts_.size(),
                             text.substr(0, 80), field, *earlier)));
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
    return std::unexpected(error_at(
        reader.offset(), ErrorCode::bad_count,
        fmt::format(
            "the vocabulary has {} words of at least 4 bytes each, but only {} bytes are left",
            count, reader.remaining())));
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
    return std::unexpected(error_at(
        offset, ErrorCode::bad_value,
        fmt::format("the n-grams have {} to {} code points, expected 1 ≤ shortest ≤ longest",
                    min_n_, max_n_)));
  }
  return {};
}

Result<void> VocabularyChunk::read_buckets(ByteReader& reader) {
  const std::uint64_t offset = reader.offset();
  const std::uint32_t number = EMBD_TRY(reader.u32("buckets"));
  if (chunk_ == ChunkId::bucket_vocabulary) {
    if (number == 0 || number > max_bucket_exponent) {
      return std::unexpected(error_at(
          offset, ErrorCode::bad_value,
          fmt::format("there are 2^{} buckets, expected an exponent from 1 to 63", number)));
    }
    num_subword_rows_ = std::uint64_t{1} << number;
    return {};
  }
  if (number == 0 || number > max_fasttext_buckets) {
    return std::unexpected(error_at(
        offset, ErrorCode::bad_value,
        fmt::format("there are {} buckets, expected 1 to {}", number, max_fasttext_buckets)));
  }
  num_subword_rows_ = number;
  return {};
}

Result<void> VocabularyChunk::read_ngrams(std::uint64_t count, ByteReader& reader) {
  constexpr std::uint64_t min_entry_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  if (count == 0 || count > reader.remaining() / min_entry_bytes) {
    return std::unexpected(
        error_at(reader.offset(), ErrorCode::bad_count,
                 fmt::format("the vocabulary has {} n-grams of at least {} bytes each in the {} "
                             "bytes that are left, expected at least one n-gram and room for all",
                             count, min_entry_bytes, reader.remaining())));
  }
  ngrams_.reserve(count, reader.remaining());
  std::vector<bool> used(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    EMBD_TRY(ngrams_.read(reader, "n-gram"));
    const std::uint64_t offset = reader.offset();
    const std::uint64_t index = EMBD_TRY(reader.u64("n-gram index"));
    if (index >= count) {
      return std::unexpected(error_at(
          offset, ErrorCode::bad_value,
          fmt::format(
              "n-gram {} has the index {}, but {} n-grams need indexes from 0 without a gap", i,
              index, count)));
    }
    used[index] = true;
    ngram_indices_.push_back(index);
    num_subword_rows_ = std::max(num_subword_rows_, index + 1);
  }
  const auto gap = std::find(used.begin(), used.begin() + num_subword_rows_, false);
  if (gap != used.begin() + num_subword_rows_) {
    return std::unexpected(error_at(
        reader.offset(), ErrorCode::bad_value,
        fmt::format(
            "no n-gram has the index {}, but one has the index {}, expected indexes without a gap",
            gap - used.begin(), num_subword_rows_ - 1)));
  }
  return {};
}

Result<void> VocabularyChunk::read_floret(ByteReader& reader) {
  EMBD_TRY(read_ngram_lengths(reader));
  const std::uint64_t offset = reader.offset();
  num_subword_rows_ = EMBD_TRY(reader.u64("buckets"));
  num_hashes_ = EMBD_TRY(reader.u32("hashes an n-gram"));
  if (num_subword_rows_ == 0 || num_hashes_ == 0 || num_hashes_ > 4) {
    return std::unexpected(
        error_at(offset, ErrorCode::bad_value,
                 fmt::format("there are {} buckets and {} hashes for each n-gram, expected at "
                             "least 1 bucket and 1 to 4 hashes",
                             num_subword_rows_, num_hashes_)));
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

}  // namespace embd::finalfusion
