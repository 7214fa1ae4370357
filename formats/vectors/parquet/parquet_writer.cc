
#include <algorithm>
#include <array>
#include <utility>

#include "base/elements.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/vectors/format.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/ids.h"
#include "formats/vectors/parquet/file_writer.h"
#include "formats/vectors/parquet/parquet_file.h"

namespace embd::parquet {
namespace {

constexpr std::uint64_t default_row_group_rows = 32768;
/// The size of an uncompressed page of strings. It is small, because a reader that wants a single
/// string reads its page.
constexpr std::uint64_t string_page_bytes = std::uint64_t{1} << 16;

/// Appends numbers as Parquet stores them. It has no type of less than 32 bits.
void append_widened(ElementType type, Bytes values, std::vector<std::byte>& out) {
  if (type != ElementType::i8 && type != ElementType::u8) {
    out.insert(out.end(), values.begin(), values.end());
    return;
  }
  for (const std::byte value : values) {
    const auto number = type == ElementType::i8 ? std::int32_t{static_cast<std::int8_t>(value)}
                                                : std::int32_t{static_cast<std::uint8_t>(value)};
    const Bytes bytes = std::as_bytes(std::span(&number, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
}

/// A column whose values are kept in memory until their row group is written.
struct HeldColumn {
  Column column;
  std::vector<std::byte> bytes = {};
  std::vector<std::uint64_t> page_ends = {};  ///< Where a page of strings may end, in bytes.
  std::vector<std::uint64_t> page_rows = {};  ///< The number of rows up to each of these places.

  void add(Bytes values) { bytes.insert(bytes.end(), values.begin(), values.end()); }
  /// Adds the string of a row, after which the row group has `rows` rows. A page ends when it has
  /// `page_size` bytes.
  void add_string(std::string_view text, std::uint64_t rows, std::uint64_t page_size) {
    const auto size = static_cast<std::uint32_t>(text.size());
    add(std::as_bytes(std::span(&size, 1)));
    add(as_bytes(text));
    const std::uint64_t begun = page_ends.empty() ? 0 : page_ends.back();
    if (bytes.size() - begun >= page_size) end_page(rows);
  }
  void end_page(std::uint64_t rows) {
    page_ends.push_back(bytes.size());
    page_rows.push_back(rows);
  }
};

/// Returns the columns of rows of scores. Each column has one half of the `dim` values.
std::vector<Column> columns_of_scores(std::uint64_t dim) {
  if (dim == 2)
    return {{.name = std::string(score_column), .type = ElementType::f32},
            {.name = std::string(logit_column), .type = ElementType::f32}};
  const Column scores = {.name = std::string(scores_column),
                         .kind = ColumnKind::vectors,
                         .type = ElementType::f32,
                         .dim = dim / 2};
  Column logits = scores;
  logits.name = logits_column;
  return {scores, logits};
}

class ParquetWriter final : public VectorWriter, private NextColumns, private RowTextSink {
 public:
  ParquetWriter(FileWriter file, std::uint64_t dim, const WriteOptions& options)
      : VectorWriter(dim, kept_as(options.element_type)),
        file_(std::move(file)),
        ids_(options.ids),
        columns_(options.columns),
        text_columns_(options.text_columns),
        vectors_{.name = std::string(vector_column),
                 .kind = ColumnKind::vectors,
                 .type = options.element_type,
                 .dim = dim},
        has_texts_(options.parquet.texts),
        row_group_rows_(options.parquet.row_group_rows != 0 ? options.parquet.row_group_rows
                                                            : default_row_group_rows) {
    if (options.parquet.compression == ParquetOptions::Compression::zstd) {
      codec_ = Codec::zstd;
      // DuckDB 2.0 does not read split streams of float16.
      if (options.element_type != ElementType::f16) encoding_ = Encoding::byte_stream_split;
    }
    if (options.recipe) entries_.emplace_back(recipe_key, recipe_to_json(*options.recipe));
    held_.push_back({.column = {.name = std::string(id_column)}});
    if (options.kind == RowKind::scores)
      for (Column& column : columns_of_scores(dim)) held_.push_back({.column = std::move(column)});
    num_score_columns_ = held_.size() - 1;
    if (has_texts_) hold_strings_named(text_column);
    for (const NumberColumn& column : columns_)
      held_.push_back({.column = {.name = column.name, .type = column.type}});
    for (const std::string& name : text_columns_) hold_strings_named(name);
  }

  TableSink* table() noexcept override { return this; }
  RowTextSink* row_texts() noexcept override { return has_texts_ ? this : nullptr; }

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    const bool are_known = count_ids(ids_).has_value();
    const Ids given = are_known ? slice_ids(ids_, num_held_, rows.rows()) : ids;
    const auto* strings = std::get_if<std::vector<std::string>>(&given);
    if (are_known && strings != nullptr) EMBD_TRY(check_strings("id", *strings));
    if (strings != nullptr) held_.front().column.kind = ColumnKind::strings;
    EMBD_TRY(check_next(rows.rows()));
    for (std::size_t first = 0; first < rows.rows();) {
      const std::uint64_t room =
          std::min(rows_per_page(vectors_) - page_rows_, row_group_rows_ - group_rows_);
      const std::size_t count = std::min<std::uint64_t>(room, rows.rows() - first);
      EMBD_TRY(take(rows.slice(first, count), given, first));
      group_rows_ += count;
      num_held_ += count;
      first += count;
      if (page_rows_ == rows_per_page(vectors_)) EMBD_TRY(write_vector_page());
      if (group_rows_ == row_group_rows_) EMBD_TRY(write_group());
    }
    clear_columns();
    next_texts_ = {};
    return {};
  }

  Result<void> set_texts(std::span<const std::string> texts) override {
    next_texts_ = texts;
    return {};
  }

  Result<void> finish_file() override {
    if (group_rows_ > 0) EMBD_TRY(write_group());
    set_id_type();
    // The vectors come first, and so do their pages. The reason: Spark assigns row groups by where
    // the pages of the first column begin.
    std::vector<Column> columns;
    if (!has_scores()) columns.push_back(vectors_);
    for (const HeldColumn& held : held_) columns.push_back(held.column);
    EMBD_TRY(file_.prepare(columns, std::move(entries_)));
    return file_.finish();
  }

  bool has_scores() const noexcept { return num_score_columns_ > 0; }

  void hold_strings_named(std::string_view name) {
    held_.push_back({.column = {.name = std::string(name), .kind = ColumnKind::strings}});
  }

  /// Sets the type of the ids. Numbers are signed if they fit, because not every program reads
  /// unsigned ones.
  void set_id_type() {
    held_.front().column.type = largest_id_ <= INT64_MAX ? ElementType::i64 : ElementType::u64;
  }

  /// Checks the columns and texts that were given for the next rows.
  Result<void> check_next(std::uint64_t num_rows) const {
    EMBD_TRY(check_columns(columns_, next_columns_, num_rows));
    EMBD_TRY(check_text_columns(text_columns_, next_text_columns_, num_rows));
    if (!has_texts_) return {};
    if (next_texts_.size() == num_rows) return check_strings("text", next_texts_);
    return fail(ErrorCode::invalid_argument,
                "{} texts were given for {} rows, expected one text for each row",
                next_texts_.size(), num_rows);
  }

  /// Adds the values of rows to the current page of vectors, and everything else to its columns.
  /// `first` is the place of the first row in what was given with append().
  Result<void> take(MatrixView rows, const Ids& ids, std::size_t first) {
    if (!has_scores()) {
      page_rows_ += rows.rows();
      EMBD_TRY(elements_from_floats(vectors_.type, rows.values(), page_));
    }
    const std::size_t count = rows.rows();
    auto held = held_.begin();
    hold_ids(ids, first, count, *held++);
    for (std::size_t c = 0; c < num_score_columns_; ++c) hold_scores(rows, c, *held++);
    if (has_texts_) hold_strings(next_texts_.subspan(first, count), *held++);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::size_t width = element_bits(columns_[c].type) / 8;
      append_widened(columns_[c].type, next_columns_[c].subspan(first * width, count * width),
                     (held++)->bytes);
    }
    for (const std::span<const std::string> texts : next_text_columns_)
      hold_strings(texts.subspan(first, count), *held++);
    return {};
  }

  void hold_ids(const Ids& ids, std::size_t first, std::size_t count, HeldColumn& held) {
    if (const auto* strings = std::get_if<std::vector<std::string>>(&ids))
      return hold_strings(std::span(*strings).subspan(first, count), held);
    const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t id = numbers != nullptr ? (*numbers)[first + i] : num_held_ + i;
      largest_id_ = std::max(largest_id_, id);
      held.add(std::as_bytes(std::span(&id, 1)));
    }
  }

  /// Adds the values of column `c` of the scores.
  void hold_scores(MatrixView rows, std::size_t c, HeldColumn& held) const {
    const std::size_t width = rows.cols() / num_score_columns_;
    for (std::size_t i = 0; i < rows.rows(); ++i)
      held.add(std::as_bytes(rows.row(i).subspan(c * width, width)));
  }

  void hold_strings(std::span<const std::string> strings, HeldColumn& held) const {
    const std::uint64_t page_size = codec_ == Codec::uncompressed ? string_page_bytes : page_bytes;
    for (std::size_t i = 0; i < strings.size(); ++i)
      held.add_string(strings[i], group_rows_ + i + 1, page_size);
  }

  Result<void> write_vector_page() {
    vector_chunk_.codec = codec_;
    vector_chunk_.encoding = encoding_;
    EMBD_TRY(file_.write_page(vectors_, page_, page_rows_, vector_chunk_));
    page_.clear();
    page_rows_ = 0;
    return {};
  }

  /// Writes the pages of a column and forgets its values.
  Result<ColumnChunk> write_held(HeldColumn& held) {
    const Column& column = held.column;
    if (column.kind != ColumnKind::strings) {
      const std::uint64_t width = value_bytes(column) * column.dim;
      for (std::uint64_t row = 0; row < group_rows_;) {
        row = std::min(row + rows_per_page(column), group_rows_);
        held.page_rows.push_back(row);
        held.page_ends.push_back(row * width);
      }
    } else if (held.page_rows.empty() || held.page_rows.back() != group_rows_) {
      held.end_page(group_rows_);
    }
    ColumnChunk chunk = {.codec = codec_};
    std::uint64_t begin = 0;
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < held.page_ends.size(); ++i) {
      EMBD_TRY(file_.write_page(column, Bytes(held.bytes).subspan(begin, held.page_ends[i] - begin),
                                held.page_rows[i] - row, chunk));
      begin = held.page_ends[i];
      row = held.page_rows[i];
    }
    held = {.column = std::move(held.column)};
    return chunk;
  }

  Result<void> write_group() {
    if (page_rows_ > 0) EMBD_TRY(write_vector_page());
    set_id_type();
    RowGroup group = {.num_rows = group_rows_};
    if (!has_scores()) group.chunks.push_back(std::exchange(vector_chunk_, {}));
    for (HeldColumn& held : held_) group.chunks.push_back(EMBD_TRY(write_held(held)));
    file_.end_group(std::move(group));
    group_rows_ = 0;
    return {};
  }

  FileWriter file_;
  Ids ids_;  // The ids of all rows, if they were known before; otherwise none.
  std::vector<NumberColumn> columns_;
  std::vector<std::string> text_columns_;
  Column vectors_;
  bool has_texts_;
  std::uint64_t row_group_rows_;
  Codec codec_ = Codec::uncompressed;
  Encoding encoding_ = Encoding::plain;

  std::vector<std::pair<std::string, std::string>> entries_;  // metadata of the footer
  std::uint64_t num_held_ = 0;  // The number of rows so far, including rows of the current call.
  std::uint64_t largest_id_ = 0;

  // The current row group.
  std::uint64_t group_rows_ = 0;
  // In this order: ids; scores in place of vectors; texts, numbers and texts beside them.
  std::vector<HeldColumn> held_;
  std::size_t num_score_columns_ = 0;  // 0 if rows are vectors
  ColumnChunk vector_chunk_;
  std::vector<std::byte> page_;  // The values of the vectors for its last page.
  std::uint64_t page_rows_ = 0;

  // The texts for the next rows.
  std::span<const std::string> next_texts_;
};

Result<void> check_options(const WriteOptions& options) {
  if (options.element_type != ElementType::f32 && options.element_type != ElementType::f16)
    return fail(ErrorCode::invalid_argument,
                "Parquet files store vectors of f32 or f16, but the type {} was asked for",
                element_name(options.element_type));
  std::vector<std::string_view> taken = {id_column, text_column, vector_column};
  if (options.kind == RowKind::scores)
    taken.insert(taken.end(), {score_column, logit_column, scores_column, logits_column});
  return check_column_options(options, taken, "a Parquet file");
}

constexpr std::array<std::string_view, 1> extensions = {".parquet"};

Room room(const std::filesystem::path&, const WriteOptions& options) {
  return {.ids = IdsInside::any,
          .recipe = true,
          .columns = true,
          .text_columns = true,
          .places = true,
          .texts = options.parquet.texts};
}

bool has_magic(const std::filesystem::path&, Bytes head) {
  return as_text(head).starts_with(magic);
}

Result<std::unique_ptr<VectorWriter>> create_parquet(const std::filesystem::path& path,
                                                     std::uint64_t dim,
                                                     const WriteOptions& options) {
  EMBD_TRY(check_options(options));
  if (dim > max_dim)
    return fail(
        ErrorCode::unsupported,
        "rows have {} values, expected at most {}, the length of the longest list in Parquet", dim,
        max_dim);
  OutputFile file = EMBD_TRY(OutputFile::create(path));
  return std::make_unique<ParquetWriter>(EMBD_TRY(FileWriter::create(std::move(file))), dim,
                                         options);
}

}  // namespace

const Format format = {
    .name = "parquet",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open_parquet,
    .create = create_parquet,
    .room = room,
    .has_scores = true,
};

}  // namespace embd::parquet
