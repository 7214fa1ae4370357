#include "formats/vectors/parquet/footer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/parquet/arrow_schema.h"
#include "formats/vectors/parquet/compact_protocol.h"

namespace embd::parquet {
namespace {

PhysicalType physical_type(const Column& column) {
  if (column.kind == ColumnKind::strings) return PhysicalType::byte_array;
  switch (column.type) {
    case ElementType::f32:
      return PhysicalType::float32;
    case ElementType::f16:
      return PhysicalType::fixed_bytes;
    case ElementType::i64:
    case ElementType::u64:
      return PhysicalType::int64;
    default:
      return PhysicalType::int32;
  }
}

/// A leaf of the schema: a column, or the element of a list.
void write_leaf(CompactWriter& out, const Column& column, std::string_view name) {
  out.begin_struct_element();
  out.i32(1, std::to_underlying(physical_type(column)));
  if (column.type == ElementType::f16) out.i32(2, 2);  // The number of bytes of a value.
  out.i32(3, std::to_underlying(Repetition::required));
  out.text(4, name);
  ConvertedType converted = ConvertedType::none;
  if (column.kind == ColumnKind::strings) converted = ConvertedType::utf8;
  if (column.kind != ColumnKind::strings && column.type == ElementType::u64)
    converted = ConvertedType::uint64;
  if (column.type == ElementType::u8) converted = ConvertedType::uint8;
  if (column.type == ElementType::i8) converted = ConvertedType::int8;
  if (converted != ConvertedType::none) out.i32(6, std::to_underlying(converted));
  const auto logical = [&](std::int16_t member, auto&& fields) {
    out.begin_struct(10);
    out.begin_struct(member);
    fields();
    out.end_struct();
    out.end_struct();
  };
  if (column.kind == ColumnKind::strings) {
    logical(logical_string, [] {});
  } else if (column.type == ElementType::f16) {
    logical(logical_float16, [] {});
  } else if (converted != ConvertedType::none) {
    logical(logical_integer, [&] {
      out.i8(1, static_cast<std::int8_t>(element_bits(column.type)));
      out.boolean(2, column.type == ElementType::i8);
    });
  }
  out.end_struct();
}

void write_group(CompactWriter& out, std::string_view name, std::optional<Repetition> repetition,
                 std::size_t num_children, bool is_list) {
  out.begin_struct_element();
  if (repetition) out.i32(3, std::to_underlying(*repetition));
  out.text(4, name);
  out.i32(5, static_cast<std::int32_t>(num_children));
  if (is_list) {
    out.i32(6, std::to_underlying(ConvertedType::list));
    out.begin_struct(10);
    out.begin_struct(logical_list);
    out.end_struct();
    out.end_struct();
  }
  out.end_struct();
}

void write_schema(CompactWriter& out, const std::vector<Column>& columns) {
  std::size_t num_elements = 1 + columns.size();
  for (const Column& column : columns)
    if (column.kind == ColumnKind::vectors) num_elements += 2;
  out.begin_list(2, CompactType::struct_, num_elements);
  write_group(out, "schema", std::nullopt, columns.size(), false);
  for (const Column& column : columns) {
    if (column.kind != ColumnKind::vectors) {
      write_leaf(out, column, column.name);
      continue;
    }
    write_group(out, column.name, Repetition::required, 1, true);
    write_group(out, "list", Repetition::repeated, 1, false);
    write_leaf(out, column, "element");
  }
}

void write_chunk(CompactWriter& out, const Column& column, const ColumnChunk& chunk) {
  const bool is_list = column.kind == ColumnKind::vectors;
  out.begin_struct_element();
  out.i64(2, 0);  // No metadata stand outside the footer.
  out.begin_struct(3);
  out.i32(1, std::to_underlying(physical_type(column)));
  out.begin_list(2, CompactType::i32, is_list ? 2 : 1);
  out.i32_element(std::to_underlying(chunk.encoding));
  if (is_list) out.i32_element(std::to_underlying(Encoding::rle));
  out.begin_list(3, CompactType::binary, is_list ? 3 : 1);
  out.text_element(column.name);
  if (is_list) {
    out.text_element("list");
    out.text_element("element");
  }
  out.i32(4, std::to_underlying(chunk.codec));
  out.i64(5, static_cast<std::int64_t>(chunk.num_values));
  out.i64(6, static_cast<std::int64_t>(chunk.uncompressed_bytes));
  out.i64(7, static_cast<std::int64_t>(chunk.bytes));
  out.i64(9, static_cast<std::int64_t>(chunk.offset));
  out.end_struct();
  out.end_struct();
}

void write_row_group(CompactWriter& out, const std::vector<Column>& columns,
                     const RowGroup& group) {
  std::uint64_t bytes = 0;
  std::uint64_t uncompressed = 0;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  out.begin_struct_element();
  out.begin_list(1, CompactType::struct_, columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    write_chunk(out, columns[i], group.chunks[i]);
    bytes += group.chunks[i].bytes;
    uncompressed += group.chunks[i].uncompressed_bytes;
    first = std::min(first, group.chunks[i].offset);
  }
  out.i64(2, static_cast<std::int64_t>(uncompressed));
  out.i64(3, static_cast<std::int64_t>(group.num_rows));
  out.i64(5, static_cast<std::int64_t>(first));
  out.i64(6, static_cast<std::int64_t>(bytes));
  out.end_struct();
}

void write_metadata(CompactWriter& out, const Footer& footer) {
  std::vector<std::pair<std::string, std::string>> entries = footer.metadata;
  entries.emplace_back(arrow_schema_key, arrow_schema(footer.columns));
  const auto list = std::ranges::find(footer.columns, ColumnKind::vectors, &Column::kind);
  if (list != footer.columns.end()) entries.emplace_back(dim_key, fmt::to_string(list->dim));
  out.begin_list(5, CompactType::struct_, entries.size());
  for (const auto& [key, value] : entries) {
    out.begin_struct_element();
    out.text(1, key);
    out.text(2, value);
    out.end_struct();
  }
}

/// Makes the footer of a file that embd wrote from the metadata of the file.
class FooterReader {
 public:
  explicit FooterReader(const FileMetadata& metadata) : metadata_(metadata) {}

  Result<Footer> read() {
    EMBD_TRY(check_coding());
    const std::int64_t num_columns = next_element().num_children;
    for (std::int64_t i = 0; i < num_columns; ++i)
      footer_.columns.push_back(EMBD_TRY(read_column()));
    for (Column& column : footer_.columns)
      if (column.kind == ColumnKind::vectors) column.dim = EMBD_TRY(read_dim());
    EMBD_TRY(find_row_columns());
    for (const RowGroup& group : metadata_.row_groups) EMBD_TRY(check_counts(group));
    footer_.num_rows = metadata_.num_rows;
    footer_.row_groups = metadata_.row_groups;
    footer_.metadata = metadata_.metadata;
    return std::move(footer_);
  }

 private:
  std::unexpected<Error> bad(ErrorCode code, std::string what) const {
    return std::unexpected(Error(code, std::move(what)).at_offset(metadata_.end));
  }

  std::unexpected<Error> refuse(std::string what) const {
    return std::unexpected(foreign(std::move(what)).at_offset(metadata_.end));
  }

  Result<void> check_coding() const {
    for (const RowGroup& group : metadata_.row_groups) {
      for (const ColumnChunk& chunk : group.chunks) {
        if (chunk.codec != Codec::uncompressed && chunk.codec != Codec::zstd)
          return refuse(fmt::format("compression by {}", codec_name(chunk.codec)));
        if (chunk.has_dictionary) return refuse("dictionary encoding");
      }
    }
    return {};
  }

  /// Returns the next element of the schema. It exists, because the element before has children or
  /// siblings.
  const SchemaElement& next_element() { return metadata_.schema[next_++]; }

  Result<Column> read_column() {
    const SchemaElement& element = next_element();
    if (const auto bad_at = find_invalid_utf8(element.name))
      return bad(ErrorCode::invalid_utf8,
                 fmt::format("byte {} of the name of a column is not part of a character in UTF-8",
                             *bad_at));
    Column column = {.name = std::string(element.name)};
    EMBD_TRY(check_required(element));
    if (element.num_children <= 0) {
      EMBD_TRY(set_type(element, column));
      return column;
    }
    if (element.converted != std::to_underlying(ConvertedType::list) || element.num_children != 1)
      return refuse(fmt::format("column {:?}, a struct or a map", column.name));
    const SchemaElement& list = next_element();
    if (list.repetition != std::to_underlying(Repetition::repeated) || list.num_children != 1)
      return refuse(fmt::format("column {:?}, a list in an older form", column.name));
    const SchemaElement& value = next_element();
    if (value.num_children > 0)
      return refuse(fmt::format("column {:?}, a nested list", column.name));
    EMBD_TRY(check_required(value));
    EMBD_TRY(set_type(value, column));
    if (column.kind != ColumnKind::numbers ||
        (column.type != ElementType::f32 && column.type != ElementType::f16))
      return refuse(fmt::format("column {:?}, a list of other values than floats", column.name));
    column.kind = ColumnKind::vectors;
    return column;
  }

  Result<void> check_required(const SchemaElement& element) const {
    if (element.repetition == std::to_underlying(Repetition::required)) return {};
    return refuse(
        fmt::format("column {:?}, of which values may be missing or repeated", element.name));
  }

  /// Sets the kind and the type of a column from its leaf.
  Result<void> set_type(const SchemaElement& leaf, Column& column) const {
    const auto type = static_cast<PhysicalType>(leaf.type.value_or(-1));
    const auto converted = static_cast<ConvertedType>(leaf.converted);
    switch (type) {
      case PhysicalType::byte_array:
        column.kind = ColumnKind::strings;
        return {};
      case PhysicalType::int64:
        column.type = converted == ConvertedType::uint64 ? ElementType::u64 : ElementType::i64;
        return {};
      case PhysicalType::int32:
        column.type = converted == ConvertedType::int8    ? ElementType::i8
                      : converted == ConvertedType::uint8 ? ElementType::u8
                                                          : ElementType::i32;
        return {};
      case PhysicalType::float32:
        column.type = ElementType::f32;
        return {};
      case PhysicalType::fixed_bytes:
        column.type = ElementType::f16;
        if (leaf.is_float16 && leaf.type_length == 2) return {};
        break;
      default:
        break;
    }
    return refuse(fmt::format("column {:?}, of type {}", leaf.name, leaf.type.value_or(-1)));
  }

  /// Reads the dimension of the vectors, which the schema does not state.
  Result<std::uint64_t> read_dim() {
    for (const auto& [key, value] : metadata_.metadata) {
      if (key != dim_key) continue;
      std::uint64_t dim = 0;
      const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), dim);
      const bool is_number = code == std::errc() && end == value.data() + value.size();
      if (is_number && dim > 0 && dim <= max_dim) return dim;
      return bad(ErrorCode::bad_value,
                 fmt::format("the metadata {} is {:?}, expected a number from 1 to {}", dim_key,
                             value, max_dim));
    }
    return refuse(fmt::format("no metadata {}", dim_key));
  }

  /// Finds the columns from which rows are made: the only column of lists, or the columns of
  /// scores.
  Result<void> find_row_columns() {
    const auto& columns = footer_.columns;
    const auto num_lists = std::ranges::count(columns, ColumnKind::vectors, &Column::kind);
    if (num_lists == 1) {
      footer_.row_columns = {
          place_of(std::ranges::find(columns, ColumnKind::vectors, &Column::kind))};
      return {};
    }
    footer_.row_kind = RowKind::scores;
    if (num_lists == 0)
      footer_.row_columns = columns_named(score_column, logit_column, ColumnKind::numbers);
    if (num_lists == 2)
      footer_.row_columns = columns_named(scores_column, logits_column, ColumnKind::vectors);
    if (!footer_.row_columns.empty()) return {};
    return refuse(fmt::format("{} columns of vectors", num_lists));
  }

  std::size_t place_of(std::vector<Column>::const_iterator column) const {
    return static_cast<std::size_t>(column - footer_.columns.begin());
  }

  /// Returns the numbers of two columns of float32; nothing if one of them does not exist.
  std::vector<std::size_t> columns_named(std::string_view first, std::string_view second,
                                         ColumnKind kind) const {
    std::vector<std::size_t> places;
    for (const std::string_view name : {first, second}) {
      const auto found = std::ranges::find(footer_.columns, name, &Column::name);
      if (found == footer_.columns.end() || found->kind != kind || found->type != ElementType::f32)
        return {};
      places.push_back(place_of(found));
    }
    return places;
  }

  Result<void> check_counts(const RowGroup& group) const {
    for (std::size_t i = 0; i < group.chunks.size(); ++i) {
      const Column& column = footer_.columns[i];
      const std::uint64_t values = group.chunks[i].num_values;
      // Compared by division, because the product could overflow.
      if (values % column.dim == 0 && values / column.dim == group.num_rows) continue;
      return bad(
          ErrorCode::bad_count,
          fmt::format(
              "column {0:?}: a row group of {2} rows has {1} values, expected {3} in each row",
              column.name, values, group.num_rows, column.dim));
    }
    return {};
  }

  const FileMetadata& metadata_;
  std::size_t next_ = 0;  // The next element of the schema.
  Footer footer_;
};

}  // namespace

std::vector<std::byte> format_footer(const Footer& footer) {
  CompactWriter out;
  out.i32(1, 2);  // The version of the format.
  write_schema(out, footer.columns);
  out.i64(3, static_cast<std::int64_t>(footer.num_rows));
  out.begin_list(4, CompactType::struct_, footer.row_groups.size());
  for (const RowGroup& group : footer.row_groups) write_row_group(out, footer.columns, group);
  write_metadata(out, footer);
  out.text(6, "embd");
  const Bytes bytes = out.finish();
  return {bytes.begin(), bytes.end()};
}

Result<Footer> own_footer(const FileMetadata& metadata) {
  return FooterReader(metadata).read();
}

}  // namespace embd::parquet
