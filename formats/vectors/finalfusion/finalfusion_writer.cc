#include "formats/vectors/finalfusion/finalfusion_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "base/bytes.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/finalfusion/product_quantizer.h"
#include "formats/vectors/ids.h"

namespace embd::finalfusion {
namespace {

/// Appends the beginning of a chunk that has padding to `file`: its id, its size, its `fields` and
/// the padding. The caller then writes `rest_bytes` more bytes.
inline Result<void> begin_padded_chunk(ChunkId id, Bytes fields, std::uint64_t rest_bytes,
                                       OutputFile& file) {
  const std::uint64_t gap = padding(file.size() + chunk_head_bytes + fields.size());
  ByteWriter head;
  head.u32(std::uint32_t(id));
  head.u64(fields.size() + gap + rest_bytes);
  head.bytes(fields);
  head.zeros(gap);
  return file.write(head.view());
}

constexpr std::uint64_t max_training_rows = 32768;
constexpr std::uint64_t rows_at_once = 4096;

std::uint32_t default_slices(std::uint64_t dim) {
  return static_cast<std::uint32_t>(dim % 2 == 0 ? dim / 2 : dim);
}

/// Adds up the quantization error of rows.
class LossSum {
 public:
  /// Adds a row. It was encoded at length 1; its decoded form is `decoded` × `length`.
  void add(std::span<const float> row, std::span<const float> decoded, float length) {
    double dot = 0;
    double row_squares = 0;
    double decoded_squares = 0;
    double difference_squares = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double found = double{decoded[i]} * length;
      dot += row[i] * found;
      row_squares += double{row[i]} * row[i];
      decoded_squares += found * found;
      difference_squares += (row[i] - found) * (row[i] - found);
    }
    const double lengths = std::sqrt(row_squares) * std::sqrt(decoded_squares);
    if (lengths > 0) cosine_ += 1 - dot / lengths;
    euclidean_ += std::sqrt(difference_squares);
  }
  QuantizationLoss mean(std::uint64_t rows) const {
    const auto count = static_cast<double>(std::max<std::uint64_t>(rows, 1));
    return {.cosine = cosine_ / count, .euclidean = euclidean_ / count};
  }

 private:
  double cosine_ = 0;
  double euclidean_ = 0;
};

/// Appends the chunk of quantized rows to `file`. Learns a quantizer with `options` from a sample
/// of `rows`, which has float32 values of shape [num_rows, dim], and encodes all rows.
class QuantizedArrayWriter {
 public:
  QuantizedArrayWriter(SpillFile& rows, std::uint64_t num_rows, std::uint64_t dim,
                       const FinalfusionOptions& options, OutputFile& file)
      : rows_(rows), num_rows_(num_rows), dim_(dim), options_(options), file_(file) {}

  /// Returns the quantization error. Fails with the errors of reading and writing the files.
  Result<QuantizationLoss> write();

 private:
  /// Calls `use(first row, rows)` for all rows, block by block.
  Result<void> for_each_block(
      const std::function<Result<void>(std::uint64_t first, MatrixView rows)>& use);
  Result<ProductQuantizer> train_quantizer();
  Result<void> write_quantizer(const ProductQuantizer& quantizer);

  SpillFile& rows_;
  const std::uint64_t num_rows_;
  const std::uint64_t dim_;
  const FinalfusionOptions& options_;
  OutputFile& file_;
};

Result<void> QuantizedArrayWriter::for_each_block(
    const std::function<Result<void>(std::uint64_t, MatrixView)>& use) {
  Matrix block(std::min(num_rows_, rows_at_once), dim_);
  for (std::uint64_t first = 0; first < num_rows_; first += rows_at_once) {
    const std::size_t count = std::min(num_rows_ - first, rows_at_once);
    const std::span<float> values = block.values().first(count * dim_);
    EMBD_TRY(rows_.read(first * dim_ * sizeof(float), std::as_writable_bytes(values)));
    EMBD_TRY(use(first, block.view().slice(0, count)));
  }
  return {};
}

Result<ProductQuantizer> QuantizedArrayWriter::train_quantizer() {
  // The rows of the sample are spread evenly over all rows and scaled to length 1, like all rows
  // that are encoded.
  const std::uint64_t num_training = std::min(num_rows_, max_training_rows);
  Matrix training(num_training, dim_);
  for (std::uint64_t i = 0; i < num_training; ++i) {
    // ⌊i × rows / training⌋, without the product, which could overflow.
    const std::uint64_t row =
        num_rows_ / num_training * i + num_rows_ % num_training * i / num_training;
    EMBD_TRY(rows_.read(row * dim_ * sizeof(float), std::as_writable_bytes(training.row(i))));
    normalize(training.row(i));
  }
  const std::uint32_t num_slices =
      options_.subquantizers == 0 ? default_slices(dim_) : options_.subquantizers;
  return ProductQuantizer::train(
      training, {.num_slices = num_slices,
                 .bits = options_.bits,
                 .projection = options_.quantizer == FinalfusionOptions::Quantizer::opq});
}

/// Writes the chunk up to the norms of the rows.
Result<void> QuantizedArrayWriter::write_quantizer(const ProductQuantizer& quantizer) {
  const std::uint64_t num_floats =
      quantizer.projection().size() + quantizer.codebooks().size() + num_rows_;
  ByteWriter fields;
  fields.u32(quantizer.projection().empty() ? 0 : 1);
  fields.u32(1);
  fields.u32(quantizer.num_slices());
  fields.u32(static_cast<std::uint32_t>(dim_));
  fields.u32(quantizer.num_centroids());
  fields.u64(num_rows_);
  fields.u32(type_u8);
  fields.u32(type_f32);
  EMBD_TRY(begin_padded_chunk(ChunkId::quantized_array, fields.view(),
                              num_floats * sizeof(float) + num_rows_ * quantizer.num_slices(),
                              file_));
  EMBD_TRY(file_.write(std::as_bytes(quantizer.projection())));
  return file_.write(std::as_bytes(quantizer.codebooks()));
}

Result<QuantizationLoss> QuantizedArrayWriter::write() {
  const ProductQuantizer quantizer = EMBD_TRY(train_quantizer());
  EMBD_TRY(write_quantizer(quantizer));

  Matrix unit(std::min(num_rows_, rows_at_once), dim_);
  const auto normalized_copy = [&](MatrixView rows, std::span<float> lengths) {
    std::ranges::copy(rows.values(), unit.values().begin());
    for (std::size_t i = 0; i < rows.rows(); ++i) lengths[i] = normalize(unit.row(i));
    return unit.view().slice(0, rows.rows());
  };
  std::vector<float> lengths(num_rows_);
  EMBD_TRY(for_each_block([&](std::uint64_t first, MatrixView rows) -> Result<void> {
    normalized_copy(rows, std::span(lengths).subspan(first, rows.rows()));
    return {};
  }));
  EMBD_TRY(file_.write(std::as_bytes(std::span(lengths))));

  std::vector<std::uint8_t> codes(unit.rows() * quantizer.num_slices());
  Matrix decoded(unit.rows(), dim_);
  LossSum sum;
  EMBD_TRY(for_each_block([&](std::uint64_t first, MatrixView rows) -> Result<void> {
    const std::span block_codes = std::span(codes).first(rows.rows() * quantizer.num_slices());
    const std::span block_lengths = std::span(lengths).subspan(first, rows.rows());
    EMBD_TRY(quantizer.encode(normalized_copy(rows, block_lengths), block_codes));
    quantizer.decode(block_codes, decoded.values());
    for (std::size_t i = 0; i < rows.rows(); ++i)
      sum.add(rows.row(i), decoded.row(i), block_lengths[i]);
    return file_.write(std::as_bytes(block_codes));
  }));
  return sum.mean(num_rows_);
}

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
    return fail(ErrorCode::invalid_argument, "the dimension is {}, expected at most 2^32 − 1", dim);
  if (options.element_type != ElementType::f32) {
    return fail(ErrorCode::unsupported,
                "finalfusion stores f32 or quantized vectors, but the type {} was asked for",
                element_name(options.element_type));
  }
  const FinalfusionOptions& own = options.finalfusion;
  if (own.normalize && !own.norms.empty())
    return fail(ErrorCode::invalid_argument,
                "normalize was given, but the rows have norms, which means that they are "
                "normalized already: leave normalize out");
  if (options.svs.quantizer != SvsOptions::Quantizer::none) {
    return fail(ErrorCode::invalid_argument,
                "the quantizer is \"{}\", but finalfusion expects pq or opq",
                name_of(options.svs.quantizer, svs_quantizer_names));
  }
  if (own.quantizer == FinalfusionOptions::Quantizer::none) return {};
  const std::uint32_t slices = own.subquantizers;
  if (dim == 0 || (slices != 0 && dim % slices != 0) || own.bits == 0 || own.bits > 8) {
    return fail(ErrorCode::invalid_argument,
                "{} subquantizers with {} bits were asked for and the dimension is {}, expected a "
                "number of subquantizers that divides the dimension, and 1 to 8 bits",
                slices, own.bits, dim);
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
      return fail(ErrorCode::bad_count,
                  "at least {} rows were appended for {} ids, expected one row for each id",
                  num_rows() + rows.rows(), *expected_rows_);
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
                "byte {} of the word of row {} is not part of a character in UTF-8", *bad,
                num_words_);
  }
  if (word.size() > std::numeric_limits<std::uint32_t>::max())
    return fail(ErrorCode::unsupported, "a word has {} bytes, expected less than 2^32",
                word.size());
  if (seen_.add(word) != 0) {
    return fail(ErrorCode::duplicate,
                "the word of row {} is {:?}, which is the word of an earlier row, too, "
                "expected a different word for each row",
                num_words_, word.substr(0, 80));
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
        loss_ = EMBD_TRY(QuantizedArrayWriter(rows_, num_rows(), dim(), options_, file_).write());
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
  return fail(ErrorCode::bad_count,
              "{} rows were appended, expected {} rows of words and {} rows of subwords", count,
              options_.subwords->num_words, options_.subwords->num_rows);
}

Result<void> Writer::check_counts() const {
  if (expected_rows_ && num_rows() != *expected_rows_) {
    return fail(ErrorCode::bad_count,
                "{} rows were appended for {} ids, expected one row for each id", num_rows(),
                *expected_rows_);
  }
  EMBD_TRY(check_row_count(num_rows()));
  if (has_norms() && norms_.size() != num_words_) {
    return fail(ErrorCode::bad_count,
                "{} norms were given for {} words, expected one norm for each word", norms_.size(),
                num_words_);
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
