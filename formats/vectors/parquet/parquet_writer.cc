#include "formats/vectors/parquet/parquet_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/byte_writer.h"
#include "base/checksum.h"
#include "base/elements.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/vectors/column_checks.h"
#include "formats/vectors/ids.h"
#include "formats/vectors/parquet/footer.h"
#include "formats/vectors/parquet/page.h"
#include "formats/vectors/parquet/page_header.h"
#include "formats/vectors/parquet/zstd.h"

namespace embd::parquet {
namespace {

constexpr std::uint64_t default_row_group_rows = 32768;

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

/// The values of a column that are kept in memory until their row group is written.
struct HeldValues {
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> page_ends = {};  ///< Where a page of strings may end, in bytes.
  std::vector<std::uint64_t> page_rows = {};  ///< The number of rows up to each of these places.
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

class ParquetWriter final : public VectorWriter, private TableSink, private RowTextSink {
 public:
  ParquetWriter(OutputFile file, std::uint64_t dim, const WriteOptions& options)
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
    if (options.recipe) footer_.metadata.emplace_back(recipe_key, recipe_to_json(*options.recipe));
    held_.resize(columns_.size());
    if (options.kind == RowKind::scores) score_columns_ = columns_of_scores(dim);
    held_scores_.resize(score_columns_.size());
    held_text_columns_.resize(text_columns_.size());
  }

  Result<void> begin() { return file_.write(as_bytes(magic)); }

  TableSink* table() noexcept override { return this; }
  RowTextSink* row_texts() noexcept override { return has_texts_ ? this : nullptr; }

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    const bool are_known = count_ids(ids_).has_value();
    const Ids given = are_known ? slice_ids(ids_, num_held_, rows.rows()) : ids;
    const auto* strings = std::get_if<std::vector<std::string>>(&given);
    if (are_known && strings != nullptr) EMBD_TRY(check_strings("id", *strings));
    string_ids_ = strings != nullptr;
    EMBD_TRY(check_next(rows.rows()));
    for (std::size_t first = 0; first < rows.rows();) {
      const std::uint64_t room =
          std::min(rows_per_page(vectors_) - page_rows_, row_group_rows_ - group_rows_);
      const std::size_t count = std::min<std::uint64_t>(room, rows.rows() - first);
      EMBD_TRY(take_values(rows.slice(first, count)));
      hold_ids(given, first, count);
      hold_texts(first, count);
      hold_columns(first, count);
      group_rows_ += count;
      num_held_ += count;
      first += count;
      if (page_rows_ == rows_per_page(vectors_)) EMBD_TRY(write_vector_page());
      if (group_rows_ == row_group_rows_) EMBD_TRY(write_group());
    }
    next_columns_.clear();
    next_text_columns_.clear();
    next_texts_ = {};
    return {};
  }

  Result<void> set_columns(std::span<const std::span<const std::byte>> columns) override {
    next_columns_.assign(columns.begin(), columns.end());
    return {};
  }

  Result<void> set_text_columns(std::span<const std::span<const std::string>> columns) override {
    next_text_columns_.assign(columns.begin(), columns.end());
    return {};
  }

  Result<void> set_texts(std::span<const std::string> texts) override {
    next_texts_ = texts;
    return {};
  }

  Result<void> finish_file() override {
    if (group_rows_ > 0) EMBD_TRY(write_group());
    footer_.num_rows = num_rows();
    footer_.columns = all_columns();
    const std::vector<std::byte> footer = format_footer(footer_);
    if (footer.size() > std::numeric_limits<std::uint32_t>::max())
      return fail(ErrorCode::unsupported,
                  "the footer would have more than 4 GB, the most that Parquet allows: choose more "
                  "rows for each row group");
    ByteWriter tail;
    tail.bytes(footer);
    tail.u32(static_cast<std::uint32_t>(footer.size()));
    tail.text(magic);
    EMBD_TRY(file_.write(tail.view()));
    return file_.finish();
  }

  bool has_scores() const noexcept { return !score_columns_.empty(); }

  /// Adds the values of rows to the current page of vectors. Scores go to columns, which are small
  /// and are kept in memory like other columns.
  Result<void> take_values(MatrixView rows) {
    if (!has_scores()) {
      page_rows_ += rows.rows();
      return elements_from_floats(vectors_.type, rows.values(), page_);
    }
    const std::size_t width = rows.cols() / score_columns_.size();
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t c = 0; c < score_columns_.size(); ++c) {
        const Bytes bytes = std::as_bytes(rows.row(i).subspan(c * width, width));
        held_scores_[c].bytes.insert(held_scores_[c].bytes.end(), bytes.begin(), bytes.end());
      }
    }
    return {};
  }

  /// Returns all columns in the order of the schema. The vectors come first, and so do their pages.
  /// The reason: Spark assigns row groups by where the pages of the first column begin.
  std::vector<Column> all_columns() const {
    std::vector<Column> all = {id_column_of_rows()};
    if (!has_scores()) all.insert(all.begin(), vectors_);
    all.insert(all.end(), score_columns_.begin(), score_columns_.end());
    if (has_texts_) all.push_back(strings_named(text_column));
    for (const NumberColumn& column : columns_)
      all.push_back({.name = column.name, .type = column.type});
    for (const std::string& name : text_columns_) all.push_back(strings_named(name));
    return all;
  }

  /// Returns the column of ids. Numbers are signed if they fit, because not every program reads
  /// unsigned ones.
  Column id_column_of_rows() const {
    Column column = {.name = std::string(id_column)};
    if (string_ids_) column.kind = ColumnKind::strings;
    column.type = largest_id_ <= INT64_MAX ? ElementType::i64 : ElementType::u64;
    return column;
  }

  static Column strings_named(std::string_view name) {
    return {.name = std::string(name), .kind = ColumnKind::strings};
  }

  /// Checks the columns and texts that were given for the next rows.
  Result<void> check_next(std::uint64_t num_rows) const {
    EMBD_TRY(check_columns(columns_, next_columns_, num_rows));
    EMBD_TRY(check_text_columns(text_columns_, next_text_columns_, num_rows));
    if (!has_texts_) return {};
    if (next_texts_.size() == num_rows) return check_strings("text", next_texts_);
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} texts were given for {} rows, expected one text for each row",
                            next_texts_.size(), num_rows));
  }

  void hold_string(std::string_view text, HeldValues& held) const {
    const auto size = static_cast<std::uint32_t>(text.size());
    const Bytes length = std::as_bytes(std::span(&size, 1));
    held.bytes.insert(held.bytes.end(), length.begin(), length.end());
    held.bytes.insert(held.bytes.end(), as_bytes(text).begin(), as_bytes(text).end());
  }

  void hold_ids(const Ids& ids, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) {
        hold_string((*strings)[first + i], held_ids_);
        end_string(held_ids_, group_rows_ + i + 1);
        continue;
      }
      const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
      const std::uint64_t id = numbers != nullptr ? (*numbers)[first + i] : num_held_ + i;
      largest_id_ = std::max(largest_id_, id);
      const Bytes bytes = std::as_bytes(std::span(&id, 1));
      held_ids_.bytes.insert(held_ids_.bytes.end(), bytes.begin(), bytes.end());
    }
  }

  void hold_texts(std::size_t first, std::size_t count) {
    if (has_texts_) hold_strings(next_texts_.subspan(first, count), held_texts_);
    for (std::size_t c = 0; c < text_columns_.size(); ++c)
      hold_strings(next_text_columns_[c].subspan(first, count), held_text_columns_[c]);
  }

  void hold_strings(std::span<const std::string> strings, HeldValues& held) const {
    for (std::size_t i = 0; i < strings.size(); ++i) {
      hold_string(strings[i], held);
      end_string(held, group_rows_ + i + 1);
    }
  }

  /// Notes that a page of strings may end after the first `rows` rows of the group.
  static void end_string(HeldValues& held, std::uint64_t rows) {
    const std::uint64_t begun = held.page_ends.empty() ? 0 : held.page_ends.back();
    if (held.bytes.size() - begun < page_bytes) return;
    held.page_ends.push_back(held.bytes.size());
    held.page_rows.push_back(rows);
  }

  void hold_columns(std::size_t first, std::size_t count) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::size_t width = element_bits(columns_[c].type) / 8;
      append_widened(columns_[c].type, next_columns_[c].subspan(first * width, count * width),
                     held_[c].bytes);
    }
  }

  /// Writes one page of `column` and adds it to `chunk`.
  Result<void> write_page(const Column& column, Encoding encoding, Bytes values,
                          std::uint64_t num_rows, ColumnChunk& chunk) {
    const std::vector<std::byte> head = levels(column, num_rows);
    if (codec_ == Codec::uncompressed)
      return write_stored(column, encoding, {head, values}, head.size() + values.size(), num_rows,
                          chunk);
    std::vector<std::byte> page = head;
    if (encoding == Encoding::byte_stream_split)
      append_streams(values, value_bytes(column), page);
    else
      page.insert(page.end(), values.begin(), values.end());
    const std::vector<std::byte> stored = EMBD_TRY(compress(page));
    return write_stored(column, encoding, {stored, {}}, page.size(), num_rows, chunk);
  }

  /// Writes a page that comes in two pieces, so that values need not be copied behind levels.
  /// `size` is the size of the page before compression.
  Result<void> write_stored(const Column& column, Encoding encoding, std::array<Bytes, 2> pieces,
                            std::size_t size, std::uint64_t num_rows, ColumnChunk& chunk) {
    const std::size_t stored = pieces[0].size() + pieces[1].size();
    if (std::max(size, stored) > std::numeric_limits<std::int32_t>::max())
      return fail(ErrorCode::unsupported,
                  fmt::format("column {:?}: a page would have {} bytes, expected at most 2 GB",
                              column.name, size));
    const std::vector<std::byte> header =
        format_page_header({.uncompressed_bytes = static_cast<std::uint32_t>(size),
                            .compressed_bytes = static_cast<std::uint32_t>(stored),
                            .num_values = static_cast<std::uint32_t>(num_rows * column.dim),
                            .encoding = encoding,
                            .crc = crc32(pieces[1], crc32(pieces[0]))});
    if (chunk.num_values == 0) chunk.offset = file_.size();
    chunk.codec = codec_;
    chunk.encoding = encoding;
    chunk.num_values += num_rows * column.dim;
    chunk.bytes += header.size() + stored;
    chunk.uncompressed_bytes += header.size() + size;
    EMBD_TRY(file_.write(header));
    for (const Bytes piece : pieces) EMBD_TRY(file_.write(piece));
    return {};
  }

  Result<void> write_vector_page() {
    EMBD_TRY(write_page(vectors_, encoding_, page_, page_rows_, vector_chunk_));
    page_.clear();
    page_rows_ = 0;
    return {};
  }

  Result<ColumnChunk> write_held(const Column& column, HeldValues& held) {
    ColumnChunk chunk;
    const Bytes bytes = held.bytes;
    if (column.kind == ColumnKind::strings) {
      if (held.page_rows.empty() || held.page_rows.back() != group_rows_) {
        held.page_ends.push_back(bytes.size());
        held.page_rows.push_back(group_rows_);
      }
      std::uint64_t begin = 0;
      std::uint64_t row = 0;
      for (std::size_t i = 0; i < held.page_ends.size(); ++i) {
        const std::uint64_t end = held.page_ends[i];
        EMBD_TRY(write_page(column, Encoding::plain, bytes.subspan(begin, end - begin),
                            held.page_rows[i] - row, chunk));
        begin = end;
        row = held.page_rows[i];
      }
    } else {
      const std::uint64_t width = value_bytes(column) * column.dim;
      for (std::uint64_t row = 0; row < group_rows_;) {
        const std::uint64_t count = std::min(rows_per_page(column), group_rows_ - row);
        EMBD_TRY(write_page(column, Encoding::plain, bytes.subspan(row * width, count * width),
                            count, chunk));
        row += count;
      }
    }
    held = {};
    return chunk;
  }

  Result<void> write_group() {
    if (page_rows_ > 0) EMBD_TRY(write_vector_page());
    RowGroup group = {.num_rows = group_rows_};
    if (!has_scores()) group.chunks.push_back(std::exchange(vector_chunk_, {}));
    group.chunks.push_back(EMBD_TRY(write_held(id_column_of_rows(), held_ids_)));
    for (std::size_t c = 0; c < score_columns_.size(); ++c)
      group.chunks.push_back(EMBD_TRY(write_held(score_columns_[c], held_scores_[c])));
    if (has_texts_)
      group.chunks.push_back(EMBD_TRY(write_held(strings_named(text_column), held_texts_)));
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Column column = {.name = columns_[c].name, .type = columns_[c].type};
      group.chunks.push_back(EMBD_TRY(write_held(column, held_[c])));
    }
    for (std::size_t c = 0; c < text_columns_.size(); ++c) {
      const Column column = strings_named(text_columns_[c]);
      group.chunks.push_back(EMBD_TRY(write_held(column, held_text_columns_[c])));
    }
    footer_.row_groups.push_back(std::move(group));
    group_rows_ = 0;
    return {};
  }

  OutputFile file_;
  Ids ids_;  // The ids of all rows, if they were known before; otherwise none.
  std::vector<NumberColumn> columns_;
  std::vector<std::string> text_columns_;
  Column vectors_;
  std::vector<Column> score_columns_;  // In place of vectors_; empty if rows are vectors.
  bool has_texts_;
  std::uint64_t row_group_rows_;
  Codec codec_ = Codec::uncompressed;
  Encoding encoding_ = Encoding::plain;

  Footer footer_;
  std::uint64_t num_held_ = 0;  // The number of rows so far, including rows of the current call.
  bool string_ids_ = false;
  std::uint64_t largest_id_ = 0;

  // The current row group.
  std::uint64_t group_rows_ = 0;
  HeldValues held_ids_;
  HeldValues held_texts_;
  std::vector<HeldValues> held_;
  std::vector<HeldValues> held_scores_;
  std::vector<HeldValues> held_text_columns_;
  ColumnChunk vector_chunk_;
  std::vector<std::byte> page_;  // The values of the vectors for its last page.
  std::uint64_t page_rows_ = 0;

  // The columns and texts for the next rows.
  std::vector<Bytes> next_columns_;
  std::vector<std::span<const std::string>> next_text_columns_;
  std::span<const std::string> next_texts_;
};

Result<void> check_options(const WriteOptions& options) {
  if (options.element_type != ElementType::f32 && options.element_type != ElementType::f16)
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("Parquet files store vectors of f32 or f16, but the type {} was asked for",
                    element_name(options.element_type)));
  std::vector<std::string_view> taken = {id_column, text_column, vector_column};
  if (options.kind == RowKind::scores)
    taken.insert(taken.end(), {score_column, logit_column, scores_column, logits_column});
  return check_column_options(options, taken, "a Parquet file");
}

}  // namespace

Result<std::unique_ptr<VectorWriter>> create_parquet(const std::filesystem::path& path,
                                                     std::uint64_t dim,
                                                     const WriteOptions& options) {
  EMBD_TRY(check_options(options));
  if (dim > max_dim)
    return fail(
        ErrorCode::unsupported,
        fmt::format(
            "rows have {} values, expected at most {}, the length of the longest list in Parquet",
            dim, max_dim));
  auto writer = std::make_unique<ParquetWriter>(EMBD_TRY(OutputFile::create(path)), dim, options);
  EMBD_TRY(writer->begin());
  return writer;
}

}  // namespace embd::parquet
