#include "formats/vectors/finalfusion/finalfusion_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/byte_writer.h"
#include "base/guard.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/finalfusion/metadata.h"
#include "formats/vectors/finalfusion/padded_chunk.h"
#include "formats/vectors/finalfusion/quantized_array_writer.h"
#include "formats/vectors/finalfusion/unit_length.h"
#include "formats/vectors/ids.h"

namespace embd::finalfusion {
namespace {

ChunkId vocabulary_chunk(const std::optional<Subwords>& subwords) {
  if (!subwords) return ChunkId::simple_vocabulary;
  switch (subwords->kind) {
    case SubwordKind::bucket:
      return ChunkId::bucket_vocabulary;
    case SubwordKind::fasttext:
      return ChunkId::fasttext_vocabulary;
    case SubwordKind::ngrams:
      return ChunkId::explicit_vocabulary;
    case SubwordKind::floret:
      return ChunkId::floret_vocabulary;
  }
  return ChunkId::simple_vocabulary;
}

Result<void> check_options(std::uint64_t dim, const WriteOptions& options) {
  if (dim > std::numeric_limits<std::uint32_t>::max())
    return fail(ErrorCode::invalid_argument,
                fmt::format("the dimension is {}, expected at most 2^32 − 1", dim));
  if (options.element_type != ElementType::f32) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("finalfusion stores f32 or quantized vectors, but the type {} was asked for",
                    element_name(options.element_type)));
  }
  const FinalfusionOptions& own = options.finalfusion;
  if (own.normalize && !own.norms.empty())
    return fail(ErrorCode::invalid_argument,
                "normalize was given, but the rows have norms, which means that they are "
                "normalized already: leave normalize out");
  if (options.svs.quantizer != SvsOptions::Quantizer::none) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the quantizer is \"{}\", but finalfusion expects pq or opq",
                            name_of(options.svs.quantizer, svs_quantizer_names)));
  }
  if (own.quantizer == FinalfusionOptions::Quantizer::none) return {};
  const std::uint32_t slices = own.subquantizers;
  if (dim == 0 || (slices != 0 && dim % slices != 0) || own.bits == 0 || own.bits > 8) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format(
            "{} subquantizers with {} bits were asked for and the dimension is {}, expected a "
            "number of subquantizers that divides the dimension, and 1 to 8 bits",
            slices, own.bits, dim));
  }
  return {};
}

/// Returns the n-grams in the order of their indices. A reader that numbers n-grams by their first
/// appearance must get the same numbers.
std::vector<std::pair<std::string, std::uint64_t>> in_order_of_index(
    std::vector<std::pair<std::string, std::uint64_t>> ngrams) {
  std::uint64_t next = 0;
  for (const auto& [ngram, index] : ngrams) {
    if (index > next) {
      std::ranges::stable_sort(ngrams, {}, [](const auto& entry) { return entry.second; });
      break;
    }
    next = std::max(next, index + 1);
  }
  return ngrams;
}

void put_text(std::string_view text, ByteWriter& out) {
  out.u32(static_cast<std::uint32_t>(text.size()));
  out.text(text);
}

Bytes bytes_of(std::span<const float> values) {
  return std::as_bytes(values);
}

}  // namespace

Result<std::unique_ptr<VectorWriter>> Writer::create(const std::filesystem::path& path,
                                                     std::uint64_t dim,
                                                     const WriteOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<VectorWriter>> {
    EMBD_TRY(check_options(dim, options));
    std::string metadata = EMBD_TRY(compose_metadata(options.finalfusion.metadata, options.recipe));
    OutputFile file = EMBD_TRY(OutputFile::create(path));
    std::unique_ptr<Writer> writer(new Writer(path, dim, options.finalfusion, std::move(file)));
    writer->metadata_ = std::move(metadata);
    if (count_ids(options.ids)) EMBD_TRY(writer->begin(options.ids));
    return writer;
  });
}

std::uint64_t Writer::max_words() const {
  return options_.subwords ? options_.subwords->num_words
                           : std::numeric_limits<std::uint64_t>::max();
}

Result<void> Writer::begin(const Ids& ids) {
  expected_rows_ = count_ids(ids);
  EMBD_TRY(append_words(*expected_rows_, ids));
  if (is_quantized()) return {};
  EMBD_TRY(check_row_count(*expected_rows_));
  EMBD_TRY(write_header());
  EMBD_TRY(write_vocabulary());
  rows_begun_ = true;
  return begin_array(*expected_rows_);
}

Result<void> Writer::append_rows(MatrixView rows, const Ids& ids) {
  return guarded([&]() -> Result<void> {
    if (!expected_rows_) EMBD_TRY(append_words(rows.rows(), ids));
    if (expected_rows_ && rows.rows() > *expected_rows_ - num_rows()) {
      return fail(
          ErrorCode::bad_count,
          fmt::format("at least {} rows were appended for {} ids, expected one row for each id",
                      num_rows() + rows.rows(), *expected_rows_));
    }
    return put_rows(rows);
  });
}

/// Appends the words of the next `rows` rows, except for rows of subwords.
Result<void> Writer::append_words(std::uint64_t rows, const Ids& ids) {
  const auto* words = std::get_if<std::vector<std::string>>(&ids);
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
  const std::uint64_t count = std::min(rows, max_words() - num_words_);
  for (std::uint64_t i = 0; i < count; ++i) {
    EMBD_TRY(words ? append_word((*words)[i])
                   : append_word(std::to_string(numbers ? (*numbers)[i] : num_words_)));
  }
  return {};
}

Result<void> Writer::append_word(std::string_view word) {
  if (const auto bad = find_invalid_utf8(word)) {
    return fail(ErrorCode::invalid_utf8,
                fmt::format("byte {} of the word of row {} is not part of a character in UTF-8",
                            *bad, num_words_));
  }
  if (word.size() > std::numeric_limits<std::uint32_t>::max())
    return fail(ErrorCode::unsupported,
                fmt::format("a word has {} bytes, expected less than 2^32", word.size()));
  if (seen_.add(word) != 0) {
    return fail(ErrorCode::duplicate,
                fmt::format("the word of row {} is {:?}, which is the word of an earlier row, too, "
                            "expected a different word for each row",
                            num_words_, word.substr(0, 80)));
  }
  const auto size = static_cast<std::uint32_t>(word.size());
  EMBD_TRY(words_.write(std::as_bytes(std::span(&size, 1))));
  EMBD_TRY(words_.write(as_bytes(word)));
  ++num_words_;
  return {};
}

Result<void> Writer::put_rows(MatrixView rows) {
  const std::uint64_t words_left = max_words() - std::min(max_words(), num_rows());
  const std::size_t normalized =
      options_.normalize ? std::min<std::uint64_t>(rows.rows(), words_left) : 0;
  for (std::size_t i = 0; i < normalized; ++i) {
    normalized_.assign(rows.row(i).begin(), rows.row(i).end());
    norms_.push_back(normalize(normalized_));
    EMBD_TRY(write_rows(bytes_of(normalized_)));
  }
  return write_rows(bytes_of(rows.slice(normalized, rows.rows() - normalized).values()));
}

Result<void> Writer::prepare_file() {
  return guarded([&]() -> Result<void> {
    if (!options_.normalize) norms_ = options_.norms;
    EMBD_TRY(check_counts());
    if (!rows_begun_) {
      EMBD_TRY(write_header());
      EMBD_TRY(write_vocabulary());
      if (!is_quantized()) {
        EMBD_TRY(begin_array(num_rows()));
        EMBD_TRY(rows_.copy_to(file_, 0, rows_.size()));
      } else {
        loss_ = EMBD_TRY(write_quantized_array(rows_, num_rows(), dim(), options_, file_));
      }
    }
    if (has_norms()) EMBD_TRY(write_norms());
    return {};
  });
}

Result<void> Writer::finish_file() {
  return file_.finish();
}

Result<void> Writer::check_row_count(std::uint64_t count) const {
  if (!options_.subwords || (num_words_ == options_.subwords->num_words &&
                             count - num_words_ == options_.subwords->num_rows))
    return {};
  return fail(
      ErrorCode::bad_count,
      fmt::format("{} rows were appended, expected {} rows of words and {} rows of subwords", count,
                  options_.subwords->num_words, options_.subwords->num_rows));
}

Result<void> Writer::check_counts() const {
  if (expected_rows_ && num_rows() != *expected_rows_) {
    return fail(ErrorCode::bad_count,
                fmt::format("{} rows were appended for {} ids, expected one row for each id",
                            num_rows(), *expected_rows_));
  }
  EMBD_TRY(check_row_count(num_rows()));
  if (has_norms() && norms_.size() != num_words_) {
    return fail(ErrorCode::bad_count,
                fmt::format("{} norms were given for {} words, expected one norm for each word",
                            norms_.size(), num_words_));
  }
  return {};
}

Result<void> Writer::write_header() {
  std::vector<ChunkId> ids;
  if (!metadata_.empty()) ids.push_back(ChunkId::metadata);
  ids.push_back(vocabulary_chunk(options_.subwords));
  ids.push_back(is_quantized() ? ChunkId::quantized_array : ChunkId::array);
  if (has_norms()) ids.push_back(ChunkId::norms);
  ByteWriter out;
  out.text(magic);
  out.u32(version);
  out.u32(static_cast<std::uint32_t>(ids.size()));
  for (const ChunkId id : ids) out.u32(std::uint32_t(id));
  if (!metadata_.empty()) {
    out.u32(std::uint32_t(ChunkId::metadata));
    out.u64(metadata_.size());
    out.text(metadata_);
  }
  return file_.write(out.view());
}

Result<void> Writer::write_vocabulary() {
  const ChunkId id = vocabulary_chunk(options_.subwords);
  ByteWriter before;  // the words
  ByteWriter after;
  if (id != ChunkId::floret_vocabulary) before.u64(num_words_);
  if (options_.subwords) {
    const Subwords& subwords = *options_.subwords;
    if (id == ChunkId::explicit_vocabulary) before.u64(subwords.ngrams.size());
    before.u32(subwords.min_n);
    before.u32(subwords.max_n);
    if (id == ChunkId::bucket_vocabulary)
      before.u32(static_cast<std::uint32_t>(std::bit_width(subwords.num_rows) - 1));
    if (id == ChunkId::fasttext_vocabulary)
      before.u32(static_cast<std::uint32_t>(subwords.num_rows));
    if (id == ChunkId::floret_vocabulary) {
      before.u64(subwords.num_rows);
      before.u32(subwords.num_hashes);
      before.u32(subwords.seed);
      put_text(subwords.begin_of_word, before);
      put_text(subwords.end_of_word, before);
    }
    for (const auto& [ngram, index] : in_order_of_index(subwords.ngrams)) {
      put_text(ngram, after);
      after.u64(index);
    }
  }
  ByteWriter head;
  head.u32(std::uint32_t(id));
  head.u64(before.size() + words_.size() + after.size());
  EMBD_TRY(file_.write(head.view()));
  EMBD_TRY(file_.write(before.view()));
  EMBD_TRY(words_.copy_to(file_, 0, words_.size()));
  return file_.write(after.view());
}

/// Writes the beginning of the array's chunk, up to its rows.
Result<void> Writer::begin_array(std::uint64_t count) {
  ByteWriter fields;
  fields.u64(count);
  fields.u32(static_cast<std::uint32_t>(dim()));
  fields.u32(type_f32);
  return begin_padded_chunk(ChunkId::array, fields.view(), count * dim() * sizeof(float), file_);
}

Result<void> Writer::write_norms() {
  ByteWriter fields;
  fields.u64(norms_.size());
  fields.u32(type_f32);
  const Bytes norms = bytes_of(norms_);
  EMBD_TRY(begin_padded_chunk(ChunkId::norms, fields.view(), norms.size(), file_));
  return file_.write(norms);
}

}  // namespace embd::finalfusion
