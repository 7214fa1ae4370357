#include "formats/vectors/parquet/parquet_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/byte_reader.h"
#include "base/checksum.h"
#include "base/elements.h"
#include "base/os/mapped_file.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/recipe_json.h"
#include "formats/vectors/parquet/footer.h"
#include "formats/vectors/parquet/foreign_reader.h"
#include "formats/vectors/parquet/page.h"
#include "formats/vectors/parquet/page_header.h"
#include "formats/vectors/parquet/zstd.h"
#include "formats/vectors/row_range.h"

namespace embd::parquet {
namespace {

/// A page of a column, and its rows in the file.
struct Page {
  std::uint64_t first_row = 0;
  std::uint64_t num_rows = 0;
  std::uint64_t offset = 0;  ///< Where the page begins after its header.
  Codec codec = Codec::uncompressed;
  PageHeader header;
};

/// The values of a page, which are in `owned` or in the file.
struct PageValues {
  std::vector<std::byte> owned;
  Bytes values;
};

/// The pages of a column in the order of the rows.
using Pages = std::vector<Page>;

class ParquetReader final : public VectorReader,
                            private PlainRowSource,
                            private TableSource,
                            private RowTextSource {
 public:
  ParquetReader(MappedFile file, std::uint64_t data_end)
      : file_(std::move(file)), data_end_(data_end) {}

  Result<void> open(const FileMetadata& metadata) {
    footer_ = EMBD_TRY(in_file(name(), own_footer(metadata)));
    pages_.resize(footer_.columns.size());
    std::uint64_t first_row = 0;
    for (const RowGroup& group : footer_.row_groups) {
      for (std::size_t i = 0; i < group.chunks.size(); ++i)
        EMBD_TRY(read_chunk(i, group.chunks[i], first_row, group.num_rows));
      first_row += group.num_rows;
    }
    const Column& values = footer_.columns[footer_.row_columns.front()];
    info_ = {.format = "parquet",
             .encoding = std::string(element_name(values.type)),
             .num_rows = footer_.num_rows,
             .dim = values.dim * footer_.row_columns.size(),
             .element_type = values.type,
             .kind = footer_.row_kind};
    return {};
  }

  /// Gives the file away after open() has failed.
  MappedFile take_file() { return std::move(file_); }

  const VectorSetInfo& info() const noexcept override { return info_; }

  Result<Ids> ids() const override {
    const auto column = column_named(id_column);
    if (!column) return Ids{};
    if (footer_.columns[*column].kind == ColumnKind::strings)
      return EMBD_TRY(read_strings(*column, 0, info_.num_rows));
    const ElementType type = footer_.columns[*column].type;
    if (type != ElementType::i64 && type != ElementType::u64)
      return std::unexpected(
          foreign("ids of less than 64 bits").at_offset(data_end_).in_file(name()));
    std::vector<std::uint64_t> numbers;
    EMBD_TRY(for_each_page(*column, [&](const Page& page, Bytes values) -> Result<void> {
      for (std::uint64_t i = 0; i < page.num_rows; ++i) {
        numbers.push_back(load<std::uint64_t>(values.subspan(i * sizeof(std::uint64_t))));
        if (type == ElementType::i64 && numbers.back() > INT64_MAX)
          return at(page, Error(ErrorCode::bad_value, "an id is negative, expected at least 0"));
      }
      return {};
    }));
    return numbers;
  }

  Result<std::optional<Recipe>> recipe() const override {
    for (const auto& [key, value] : footer_.metadata)
      if (key == recipe_key) return EMBD_TRY(recipe_from_json(value));
    return std::nullopt;
  }

  std::string describe() const override {
    nlohmann::ordered_json columns = nlohmann::json::array();
    for (std::size_t i = 0; i < footer_.columns.size(); ++i) {
      const Column& column = footer_.columns[i];
      columns.push_back(
          {{"name", column.name},
           {"type", column.kind == ColumnKind::strings ? "string" : element_name(column.type)},
           {"values_per_row", column.dim},
           {"pages", pages_[i].size()}});
    }
    std::uint64_t bytes = 0;
    std::uint64_t uncompressed = 0;
    bool zstd = false;
    for (const RowGroup& group : footer_.row_groups) {
      for (const ColumnChunk& chunk : group.chunks) {
        bytes += chunk.bytes;
        uncompressed += chunk.uncompressed_bytes;
        zstd = zstd || chunk.codec == Codec::zstd;
      }
    }
    return nlohmann::ordered_json({{"row_groups", footer_.row_groups.size()},
                                   {"compression", zstd ? "zstd" : "none"},
                                   {"bytes", bytes},
                                   {"uncompressed_bytes", uncompressed},
                                   {"columns", columns}})
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  Result<void> verify() const override {
    for (std::size_t column = 0; column < pages_.size(); ++column) {
      for (const Page& page : pages_[column]) {
        if (page.header.has_crc && crc32(stored(page)) != page.header.crc)
          return at(page, Error(ErrorCode::checksum_mismatch,
                                "the CRC-32 of a page differs from that in the file"));
        EMBD_TRY(values_of(column, page));
      }
      if (footer_.columns[column].kind == ColumnKind::strings)
        EMBD_TRY(read_strings(column, 0, info_.num_rows));
    }
    return {};
  }

  const PlainRowSource* plain_rows() const noexcept override { return this; }
  const TableSource* table() const noexcept override { return this; }
  const RowTextSource* row_texts() const noexcept override {
    return column_of_texts() ? this : nullptr;
  }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    std::size_t place = 0;  // The place of the column's values in a row.
    std::vector<float> floats;
    for (const std::size_t column : footer_.row_columns) {
      const std::uint64_t dim = footer_.columns[column].dim;
      EMBD_TRY(for_each_part(column, first, count, [&](Bytes values, std::uint64_t row) {
        floats.resize(values.size() / row_bytes(column) * dim);
        floats_from_elements(info_.element_type, values, floats);
        for (std::size_t i = 0; i < floats.size(); i += dim)
          std::ranges::copy(std::span(floats).subspan(i, dim),
                            out.subspan((row - first + i / dim) * info_.dim + place).begin());
      }));
      place += dim;
    }
    return {};
  }

  std::optional<MatrixView> view() const noexcept override { return std::nullopt; }
  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    out.clear();
    if (footer_.row_columns.size() > 1) {  // Scores and logits, which are float32.
      std::vector<float> floats(count * info_.dim);
      EMBD_TRY(read_rows(first, count, floats));
      const Bytes bytes = std::as_bytes(std::span(floats));
      out.assign(bytes.begin(), bytes.end());
      return {};
    }
    return for_each_part(
        footer_.row_columns.front(), first, count,
        [&](Bytes values, std::uint64_t) { out.insert(out.end(), values.begin(), values.end()); });
  }

  std::vector<NumberColumn> columns() const override {
    std::vector<NumberColumn> columns;
    for (std::size_t i = 0; i < footer_.columns.size(); ++i) {
      const Column& column = footer_.columns[i];
      if (column.kind == ColumnKind::numbers && column.name != id_column && !is_of_rows(i))
        columns.push_back({.name = column.name, .type = column.type});
    }
    return columns;
  }

  Result<void> read_column(std::string_view name, std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    const auto column = column_named(name);
    if (!column || footer_.columns[*column].kind != ColumnKind::numbers)
      return fail(ErrorCode::invalid_argument,
                  fmt::format("no column of numbers is named {:?}", name));
    out.clear();
    const std::size_t width = element_bits(footer_.columns[*column].type) / 8;
    return for_each_part(*column, first, count, [&](Bytes values, std::uint64_t) {
      const std::size_t stored = value_bytes(footer_.columns[*column]);
      for (std::size_t i = 0; i + stored <= values.size(); i += stored) {
        // Little-endian, so the lowest bytes are the value.
        const Bytes value = values.subspan(i, width);
        out.insert(out.end(), value.begin(), value.end());
      }
    });
  }

  std::vector<std::string> text_columns() const override {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < footer_.columns.size(); ++i)
      if (is_text_column(i)) names.push_back(footer_.columns[i].name);
    return names;
  }

  Result<std::vector<std::string>> read_text_column(std::string_view name, std::uint64_t first,
                                                    std::uint64_t count) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    const auto column = column_named(name);
    if (!column || !is_text_column(*column))
      return TableSource::read_text_column(name, first, count);
    return read_strings(*column, first, count);
  }

  Result<std::vector<std::string>> texts(std::uint64_t first, std::uint64_t count) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    return read_strings(*column_of_texts(), first, count);
  }

  std::unexpected<Error> bad(std::uint64_t offset, ErrorCode code, std::string what) const {
    return std::unexpected(Error(code, std::move(what)).at_offset(offset).in_file(name()));
  }
  std::unexpected<Error> at(const Page& page, Error error) const {
    return std::unexpected(std::move(error).at_offset(page.offset).in_file(name()));
  }
  std::string_view name() const noexcept { return file_.path().native(); }

  bool is_of_rows(std::size_t column) const noexcept {
    return std::ranges::find(footer_.row_columns, column) != footer_.row_columns.end();
  }

  /// Returns the column with this name, unless rows are made from it.
  std::optional<std::size_t> column_named(std::string_view name) const {
    for (std::size_t i = 0; i < footer_.columns.size(); ++i)
      if (footer_.columns[i].name == name && !is_of_rows(i)) return i;
    return std::nullopt;
  }

  std::optional<std::size_t> column_of_texts() const {
    const auto column = column_named(text_column);
    if (!column || footer_.columns[*column].kind != ColumnKind::strings) return std::nullopt;
    return column;
  }

  /// Returns true for a column of strings that are neither ids nor the rows' texts.
  bool is_text_column(std::size_t column) const noexcept {
    const Column& found = footer_.columns[column];
    return found.kind == ColumnKind::strings && found.name != id_column &&
           found.name != text_column;
  }

  std::uint64_t row_bytes(std::size_t column) const noexcept {
    return value_bytes(footer_.columns[column]) * footer_.columns[column].dim;
  }

  /// Finds the pages of a chunk and checks their headers against the footer.
  Result<void> read_chunk(std::size_t column, const ColumnChunk& chunk, std::uint64_t first_row,
                          std::uint64_t num_rows) {
    if (chunk.offset < magic.size() || chunk.offset > data_end_ ||
        chunk.bytes > data_end_ - chunk.offset)
      return bad(
          data_end_, ErrorCode::section_out_of_bounds,
          fmt::format("column {:?} takes {} bytes from byte {} on, but the data has {} bytes",
                      footer_.columns[column].name, chunk.bytes, chunk.offset, data_end_));
    const std::uint64_t end = chunk.offset + chunk.bytes;
    const std::uint64_t end_row = first_row + num_rows;
    for (std::uint64_t offset = chunk.offset; offset < end;) {
      const Bytes rest = file_.bytes().subspan(offset, end - offset);
      std::size_t header_bytes = 0;
      const PageHeader header =
          EMBD_TRY(in_file(name(), parse_page_header(rest, offset, header_bytes)));
      EMBD_TRY(check_kind(header, offset));
      const std::uint64_t dim = footer_.columns[column].dim;
      const Page page = {.first_row = first_row,
                         .num_rows = header.num_values / dim,
                         .offset = offset + header_bytes,
                         .codec = chunk.codec,
                         .header = header};
      if (header.compressed_bytes > end - page.offset)
        return bad(offset, ErrorCode::section_out_of_bounds,
                   fmt::format("a page takes {} bytes, but only {} are left of the column",
                               header.compressed_bytes, end - page.offset));
      if (header.num_values % dim != 0 || page.num_rows == 0 || page.num_rows > end_row - first_row)
        return bad(
            offset, ErrorCode::bad_count,
            fmt::format("a page has {} values, but {} rows of {} values are left of the column",
                        header.num_values, end_row - first_row, dim));
      EMBD_TRY(check_page(column, page, offset));
      first_row += page.num_rows;
      offset = page.offset + header.compressed_bytes;
      pages_[column].push_back(page);
    }
    if (first_row != end_row)
      return bad(chunk.offset, ErrorCode::bad_count,
                 fmt::format("column {:?}: the pages have {} rows less than their row group",
                             footer_.columns[column].name, end_row - first_row));
    return {};
  }

  Result<void> check_kind(const PageHeader& header, std::uint64_t offset) const {
    const auto refuse = [&](std::string what) {
      return std::unexpected(foreign(std::move(what)).at_offset(offset).in_file(name()));
    };
    if (header.type != PageType::data)
      return refuse(fmt::format("a page of type {}", std::to_underlying(header.type)));
    if (header.encoding != Encoding::plain && header.encoding != Encoding::byte_stream_split)
      return refuse(fmt::format("values coded by {}", encoding_name(header.encoding)));
    return {};
  }

  Result<void> check_page(std::size_t column, const Page& page, std::uint64_t offset) const {
    const PageHeader& header = page.header;
    const bool is_plausible =
        page.codec == Codec::uncompressed
            ? header.compressed_bytes == header.uncompressed_bytes
            : header.uncompressed_bytes / max_expansion <= header.compressed_bytes;
    if (!is_plausible)
      return bad(
          offset, ErrorCode::bad_count,
          fmt::format("a page of {} bytes is stored in {} bytes, which its compression cannot give",
                      header.uncompressed_bytes, header.compressed_bytes));
    if (footer_.columns[column].kind == ColumnKind::strings) {
      if (header.encoding != Encoding::plain)
        return std::unexpected(
            foreign("strings in split byte streams").at_offset(offset).in_file(name()));
      // Every string has a length of four bytes.
      if (header.uncompressed_bytes / sizeof(std::uint32_t) >= page.num_rows) return {};
      return bad(offset, ErrorCode::bad_count,
                 fmt::format("a page has {} strings in {} bytes, which are too few", page.num_rows,
                             header.uncompressed_bytes));
    }
    if (page.num_rows > rows_per_page(footer_.columns[column]))
      return std::unexpected(foreign(fmt::format("a page of {} rows", page.num_rows))
                                 .at_offset(offset)
                                 .in_file(name()));
    const std::uint64_t wanted =
        levels(footer_.columns[column], page.num_rows).size() + page.num_rows * row_bytes(column);
    if (header.uncompressed_bytes == wanted) return {};
    return bad(
        offset, ErrorCode::bad_count,
        fmt::format(
            "a page has {} bytes before compression, but {} rows without missing values take {}",
            header.uncompressed_bytes, page.num_rows, wanted));
  }

  Bytes stored(const Page& page) const noexcept {
    return file_.bytes().subspan(page.offset, page.header.compressed_bytes);
  }

  /// Returns the values of a page, without its levels and with streams joined again.
  Result<PageValues> values_of(std::size_t column, const Page& page) const {
    PageValues found;
    Bytes bytes = stored(page);
    if (page.codec != Codec::uncompressed) {
      auto page_bytes = decompress(bytes, page.header.uncompressed_bytes);
      if (!page_bytes) return at(page, std::move(page_bytes).error());
      found.owned = std::move(*page_bytes);
      bytes = found.owned;
    }
    const std::vector<std::byte> expected = levels(footer_.columns[column], page.num_rows);
    if (!std::equal(expected.begin(), expected.end(), bytes.begin()))
      return at(
          page,
          foreign("the rows have unequal numbers of values, expected one number for all rows"));
    found.values = bytes.subspan(expected.size());
    if (page.header.encoding == Encoding::byte_stream_split) {
      found.owned = join_streams(found.values, value_bytes(footer_.columns[column]));
      found.values = found.owned;
    }
    return found;
  }

  /// Calls `use(page, values)` for every page.
  template <class Use>
  Result<void> for_each_page(std::size_t column, Use&& use) const {
    for (const Page& page : pages_[column]) {
      const PageValues found = EMBD_TRY(values_of(column, page));
      EMBD_TRY(use(page, found.values));
    }
    return {};
  }

  /// Reads rows [first, first + count), which must exist and may be in several pages. For the part
  /// in each page, calls `use(values, row)`, where `row` is the first row of the part.
  template <class Use>
  Result<void> for_each_part(std::size_t column, std::uint64_t first, std::uint64_t count,
                             Use&& use) const {
    const Pages& pages = pages_[column];
    auto page = std::ranges::upper_bound(pages, first, {}, &Page::first_row);
    for (const std::uint64_t end = first + count; first < end; ++page) {
      const Page& here = *(page - 1);
      const std::uint64_t part_end = std::min(end, here.first_row + here.num_rows);
      const PageValues found = EMBD_TRY(values_of(column, here));
      use(found.values.subspan((first - here.first_row) * row_bytes(column),
                               (part_end - first) * row_bytes(column)),
          first);
      first = part_end;
    }
    return {};
  }

  /// Reads strings [first, first + count), which must exist.
  Result<std::vector<std::string>> read_strings(std::size_t column, std::uint64_t first,
                                                std::uint64_t count) const {
    std::vector<std::string> strings;
    const std::uint64_t end = first + count;
    auto page = std::ranges::upper_bound(pages_[column], first, {}, &Page::first_row);
    for (std::uint64_t row = first; row < end; ++page) {
      const Page& here = *(page - 1);
      const PageValues found = EMBD_TRY(values_of(column, here));
      const auto all = strings_of(found.values, here.num_rows, footer_.columns[column].name);
      if (!all) return at(here, Error(all.error().code(), all.error().what()));
      const std::uint64_t part_end = std::min(end, here.first_row + here.num_rows);
      for (; row < part_end; ++row) strings.emplace_back((*all)[row - here.first_row]);
    }
    return strings;
  }

  /// Returns the strings in the values of a page, each of which follows its length.
  static Result<std::vector<std::string_view>> strings_of(Bytes values, std::uint64_t count,
                                                          std::string_view name) {
    ByteReader reader(values);
    std::vector<std::string_view> strings;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t size = EMBD_TRY(reader.u32(name));
      strings.push_back(EMBD_TRY(reader.text(size, name)));
      if (find_invalid_utf8(strings.back()))
        return fail(ErrorCode::invalid_utf8,
                    fmt::format("string {} of a page of column {:?} is not valid UTF-8", i, name));
    }
    if (reader.remaining() == 0) return strings;
    return fail(ErrorCode::trailing_bytes,
                fmt::format("{} bytes follow the last string of a page, expected none",
                            reader.remaining()));
  }

  /// An upper bound of the number of bytes that one byte of Zstandard expands to: a block of 128
  /// KiB takes four bytes or more.
  static constexpr std::uint64_t max_expansion = 64 * 1024;

  MappedFile file_;
  std::uint64_t data_end_;  // The end of the pages, where the footer begins.
  Footer footer_;
  VectorSetInfo info_;
  std::vector<Pages> pages_;  // The pages of each column.
};

}  // namespace

Result<std::unique_ptr<VectorReader>> open_parquet(const std::filesystem::path& path,
                                                   const ReadOptions& options) {
  ParquetFile file = EMBD_TRY(open_file(path));
  if (options.column.empty()) {
    auto reader = std::make_unique<ParquetReader>(std::move(file.file), file.data_end);
    auto opened = reader->open(file.metadata);
    if (opened) return reader;
    if (opened.error().code() != ErrorCode::unsupported)
      return std::unexpected(std::move(opened).error());
    file.file = reader->take_file();
  }
  return open_foreign_parquet(std::move(file), options);
}

}  // namespace embd::parquet
