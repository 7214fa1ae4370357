#include "formats/vectors/word2vec/word_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/finalfusion/words.h"

namespace embd::word2vec {
namespace {

using finalfusion::fasttext_hash;
using finalfusion::Ngrams;

/// The end of a sentence. It is not a word and has no n-grams.
constexpr std::string_view end_of_sentence = "</s>";
constexpr std::int32_t supervised = 3;

struct Model {
  std::uint64_t dim = 0;
  std::uint64_t buckets = 0;
  std::uint32_t min_n = 0;
  std::uint32_t max_n = 0;  ///< 0 if words have no n-grams.
  std::uint64_t input_at = 0;
  std::uint64_t input_rows = 0;
  std::vector<WordRow> words;
};

/// Fails for a model that fastText's command `quantize` made. Only that command prunes the
/// dictionary.
std::unexpected<Error> quantized(std::uint64_t offset) {
  return fail_at(offset, ErrorCode::unsupported,
                 "the model is quantized (a .ftz file of fastText), expected the model from which "
                 "it was made, a .bin file");
}

Result<std::int32_t> i32(ByteReader& reader, std::string_view field) {
  return static_cast<std::int32_t>(EMBD_TRY(reader.u32(field)));
}

Result<void> read_settings(ByteReader& reader, Model& model) {
  const std::uint32_t magic = EMBD_TRY(reader.u32("magic"));
  if (magic != fasttext_magic) {
    return fail_at(0, ErrorCode::bad_magic, "the magic number is {}, expected {}", magic,
                   fasttext_magic);
  }
  const std::uint32_t version = EMBD_TRY(reader.u32("version"));
  if (version != 11 && version != 12) {
    return fail_at(4, ErrorCode::unsupported_version, "the version is {}, expected 11 or 12",
                   version);
  }
  const std::uint64_t offset = reader.offset();
  std::int32_t dim;
  std::int32_t kind;
  std::int32_t buckets;
  std::int32_t min_n;
  std::int32_t max_n;
  dim = EMBD_TRY(i32(reader, "dimension"));
  EMBD_TRY(reader.skip(6 * sizeof(std::int32_t), "training settings"));
  kind = EMBD_TRY(i32(reader, "model"));
  buckets = EMBD_TRY(i32(reader, "buckets"));
  min_n = EMBD_TRY(i32(reader, "shortest n-gram"));
  max_n = EMBD_TRY(i32(reader, "longest n-gram"));
  EMBD_TRY(reader.skip(sizeof(std::int32_t) + sizeof(double), "training settings"));
  if (dim <= 0 || buckets < 0) {
    return fail_at(offset, ErrorCode::bad_value,
                   "the dimension is {} and the number of buckets is {}, expected a positive "
                   "dimension and no negative number",
                   dim, buckets);
  }
  model.dim = static_cast<std::uint64_t>(dim);
  model.buckets = static_cast<std::uint64_t>(buckets);
  // As in fastText, n-grams begin with one code point, and there are none if the range is empty.
  min_n = std::max(min_n, 1);
  const bool has_ngrams = buckets > 0 && min_n <= max_n && !(version == 11 && kind == supervised);
  model.min_n = static_cast<std::uint32_t>(min_n);
  model.max_n = has_ngrams ? static_cast<std::uint32_t>(max_n) : 0;
  return {};
}

Result<void> read_dictionary(std::string_view file, ByteReader& reader, Model& model) {
  const std::uint64_t offset = reader.offset();
  const std::int32_t num_entries = EMBD_TRY(i32(reader, "dictionary entries"));
  const std::int32_t num_words = EMBD_TRY(i32(reader, "words"));
  const std::int32_t num_labels = EMBD_TRY(i32(reader, "labels"));
  EMBD_TRY(reader.skip(sizeof(std::uint64_t), "tokens"));
  const auto pruned = static_cast<std::int64_t>(EMBD_TRY(reader.u64("pruned n-grams")));
  constexpr std::uint64_t count_and_type = sizeof(std::uint64_t) + 1;
  if (num_words < 0 || num_labels < 0 || std::int64_t{num_words} + num_labels != num_entries ||
      static_cast<std::uint64_t>(num_entries) > reader.remaining() / (1 + count_and_type)) {
    return fail_at(offset, ErrorCode::bad_count,
                   "the dictionary has {} entries for {} words and {} labels in {} "
                   "bytes, expected one entry for each and room for all",
                   num_entries, num_words, num_labels, reader.remaining());
  }
  if (pruned > 0) return quantized(offset);
  for (std::int32_t i = 0; i < num_entries; ++i) {
    const std::uint64_t at = reader.offset();
    const std::size_t end = file.find('\0', at);
    if (end == std::string_view::npos) {
      return fail_at(at, ErrorCode::file_too_short,
                     "the file ends inside entry {} of the dictionary", i);
    }
    EMBD_TRY(reader.text(end - at, "word"));
    EMBD_TRY(reader.skip(1 + sizeof(std::uint64_t), "word count"));
    const std::uint8_t type = EMBD_TRY(reader.u8("entry type"));
    if (type != (i < num_words ? 0 : 1)) {
      return fail_at(at, ErrorCode::bad_type,
                     "entry {} of the dictionary has the type {}, expected words (0) "
                     "first and labels (1) after them",
                     i, type);
    }
    if (i < num_words)
      model.words.push_back({.word_at = at, .values_at = 0, .word_bytes = end - at});
  }
  return {};
}

/// Skips the values of a dense matrix.
Result<std::uint64_t> skip_matrix(ByteReader& reader, std::uint64_t dim, std::string_view name) {
  const std::uint64_t offset = reader.offset();
  if (EMBD_TRY(reader.u8("quantized flag")) != 0) return quantized(offset);
  const std::uint64_t rows = EMBD_TRY(reader.u64("matrix rows"));
  const std::uint64_t cols = EMBD_TRY(reader.u64("matrix columns"));
  if (cols != dim || rows > reader.remaining() / sizeof(float) / dim) {
    return fail_at(offset, ErrorCode::bad_count,
                   "the {} matrix has {} × {} float32 values, but {} "
                   "bytes are left and the dimension is {}",
                   name, rows, cols, reader.remaining(), dim);
  }
  EMBD_TRY(reader.skip(rows * cols * sizeof(float), name));
  return rows;
}

Result<Model> read_model(Bytes file) {
  ByteReader reader(file);
  Model model;
  EMBD_TRY(read_settings(reader, model));
  EMBD_TRY(read_dictionary(as_text(file), reader, model));
  const std::uint64_t input_at = reader.offset();
  constexpr std::uint64_t matrix_head = 1 + 2 * sizeof(std::uint64_t);
  model.input_rows = EMBD_TRY(skip_matrix(reader, model.dim, "input"));
  model.input_at = input_at + matrix_head;
  if (model.input_rows != model.words.size() + model.buckets) {
    return fail_at(input_at, ErrorCode::bad_count,
                   "there are {} rows for {} words and {} buckets, expected one row for each",
                   model.input_rows, model.words.size(), model.buckets);
  }
  static_cast<void>(EMBD_TRY(skip_matrix(reader, model.dim, "output")));
  if (reader.remaining() != 0) {
    return fail_at(reader.offset(), ErrorCode::trailing_bytes,
                   "{} bytes follow the output matrix, expected none", reader.remaining());
  }
  return model;
}

class FastTextRows final : public WordRows, private WordEmbeddingSource {
 public:
  FastTextRows(MappedFile file, Model model, bool all_rows)
      : WordRows(std::move(file), "fasttext", "f32", model.dim, std::move(model.words)),
        model_(std::move(model)),
        with_buckets_(all_rows && model_.max_n > 0) {
    if (with_buckets_) info_.num_rows += model_.buckets;
  }

  Result<Ids> ids() const override {
    auto ids = std::get<std::vector<std::string>>(EMBD_TRY(WordRows::ids()));
    while (ids.size() < info_.num_rows)
      ids.push_back(fmt::format("[subword {}]", ids.size() - rows_.size()));
    return ids;
  }

  const WordEmbeddingSource* word_embeddings() const noexcept override { return this; }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::span<float> row = out.subspan(i * info_.dim, info_.dim);
      copy_input(first + i, row);
      if (first + i < rows_.size()) add_ngrams(word(first + i), row);
    }
    return {};
  }
  Result<std::vector<float>> norms() const override { return std::vector<float>(); }
  Result<std::string> metadata() const override { return std::string(); }
  Result<std::optional<Subwords>> subwords() const override {
    if (!with_buckets_) return std::nullopt;
    Subwords subwords;
    subwords.kind = SubwordKind::fasttext;
    subwords.num_words = rows_.size();
    subwords.num_rows = model_.buckets;
    subwords.min_n = model_.min_n;
    subwords.max_n = model_.max_n;
    return subwords;
  }

  void copy_input(std::uint64_t row, std::span<float> out) const {
    std::memcpy(out.data(),
                file_.bytes().data() + model_.input_at + row * info_.dim * sizeof(float),
                out.size_bytes());
  }

  /// Computes the mean of a word's row and the rows of its n-grams, in the order of fastText: for
  /// each beginning, the shortest first. Single brackets are not n-grams.
  void add_ngrams(std::string_view text, std::span<float> row) const {
    if (model_.max_n == 0 || text == end_of_sentence) return;
    const Ngrams ngrams(text, "<", ">");
    const std::size_t length = ngrams.num_code_points();
    std::vector<float> ngram_row(row.size());
    std::size_t summed = 1;
    for (std::size_t first = 0; first < length; ++first) {
      for (std::size_t n = model_.min_n; n <= model_.max_n && first + n <= length; ++n) {
        if (n == 1 && (first == 0 || first + 1 == length)) continue;
        const std::uint64_t bucket = fasttext_hash(ngrams.slice(first, n)) % model_.buckets;
        copy_input(rows_.size() + bucket, ngram_row);
        for (std::size_t j = 0; j < row.size(); ++j) row[j] += ngram_row[j];
        ++summed;
      }
    }
    const auto scale = static_cast<float>(1.0 / static_cast<double>(summed));
    for (float& value : row) value *= scale;
  }

  Model model_;  // The model without its words, which are in rows_.
  bool with_buckets_;
};

}  // namespace

Result<std::unique_ptr<VectorReader>> open_fasttext(const std::filesystem::path& path,
                                                    const ReadOptions& options) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  auto model = EMBD_TRY(in_file(path, guarded([&] { return read_model(file.bytes()); })));
  return std::make_unique<FastTextRows>(std::move(file), std::move(model), options.all_rows);
}

}  // namespace embd::word2vec
