#include "formats/vectors/parquet/file_writer.h"

#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/base64.h"
#include "base/checksum.h"
#include "base/try.h"
#include "formats/vectors/parquet/compact_protocol.h"
#include "formats/vectors/parquet/pages.h"

namespace embd::parquet {
namespace {

/// Appends a run: `count` times one level of one bit.
void append_run(ByteWriter& out, std::uint64_t count, std::uint8_t level) {
  write_varint(out, count << 1);
  out.u8(level);
}

void append_levels(ByteWriter& out, const ByteWriter& runs) {
  out.u32(static_cast<std::uint32_t>(runs.size()));
  out.bytes(runs.view());
}

/// The greatest `fill` of levels().
constexpr unsigned most_fill = 15;

/// Returns the levels that stand before `num_rows` lists of `dim` values, none of which is null:
/// repetition levels, then definition levels, each as runs after their length. Empty for a column
/// that is not a list. More runs mean the same and take more bytes: definition levels begin with
/// `fill` % 4 runs of one value, which take 2 bytes, and `fill` / 4 runs of 64, which take 3, as
/// far as there are values.
std::vector<std::byte> levels(const Column& column, std::uint64_t num_rows, unsigned fill = 0) {
  if (column.kind != ColumnKind::vectors) return {};
  ByteWriter repetition;  // 0 for the first value of a row's list, 1 for the others.
  if (column.dim == 1) {
    append_run(repetition, num_rows, 0);
  } else {
    for (std::uint64_t row = 0; row < num_rows; ++row) {
      append_run(repetition, 1, 0);
      append_run(repetition, column.dim - 1, 1);
    }
  }
  ByteWriter definition;  // 1 for every value, because none is null.
  std::uint64_t left = num_rows * column.dim;
  for (unsigned i = 0; i < fill % 4 + fill / 4; ++i) {
    const std::uint64_t run = i < fill % 4 ? 1 : 64;
    if (run >= left) break;
    append_run(definition, run, 1);
    left -= run;
  }
  append_run(definition, left, 1);
  ByteWriter out;
  append_levels(out, repetition);
  append_levels(out, definition);
  return {out.view().begin(), out.view().end()};
}

/// Returns the bytes of the header of a data page of version 1.
std::vector<std::byte> page_header(std::size_t size, std::size_t stored, std::uint32_t crc,
                                   std::uint64_t num_values, Encoding encoding) {
  CompactWriter out;
  out.i32(1, std::to_underlying(PageType::data));
  out.i32(2, static_cast<std::int32_t>(size));
  out.i32(3, static_cast<std::int32_t>(stored));
  out.i32(4, static_cast<std::int32_t>(crc));
  out.begin_struct(5);
  out.i32(1, static_cast<std::int32_t>(num_values));
  out.i32(2, std::to_underlying(encoding));
  out.i32(3, std::to_underlying(Encoding::rle));  // The encoding of definition levels.
  out.i32(4, std::to_underlying(Encoding::rle));  // The encoding of repetition levels.
  out.end_struct();
  const Bytes bytes = out.finish();
  return {bytes.begin(), bytes.end()};
}

/// Returns a page with its header. `levels` and `values` are its bytes as they are stored; `crc` is
/// that of `values`, and `size` is the size of both before compression. Fails with unsupported if
/// the page has more than 2 GB.
Result<StoredPage> stored_page(const Column& column, Bytes levels, Bytes values, std::uint32_t crc,
                               std::size_t size, std::uint64_t num_rows, const ColumnChunk& chunk) {
  const std::size_t stored = levels.size() + values.size();
  if (std::max(size, stored) > std::numeric_limits<std::int32_t>::max())
    return fail(ErrorCode::unsupported,
                "column {:?}: a page would have {} bytes, expected at most 2 GB", column.name,
                size);
  StoredPage page = {
      .head = page_header(size, stored, crc32_of_both(crc32(levels), crc, values.size()),
                          num_rows * column.dim, chunk.encoding),
      .values = values};
  page.uncompressed_bytes = page.head.size() + size;
  page.head.insert(page.head.end(), levels.begin(), levels.end());
  return page;
}

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// The types of Arrow, with their numbers in Schema.fbs.
enum class ArrowType : std::uint8_t { integer = 2, floating = 3, utf8 = 5, fixed_size_list = 16 };

constexpr std::int16_t metadata_version_5 = 4;
constexpr std::uint8_t header_is_schema = 1;

/// Returns the place of a table's field from its number in the schema.
constexpr flatbuffers::voffset_t slot(int field) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
}

struct Type {
  ArrowType kind;
  Offset<void> table;
};

Offset<void> end_table(FlatBufferBuilder& builder, flatbuffers::uoffset_t start) {
  return {builder.EndTable(start)};
}

Type number_type(FlatBufferBuilder& builder, ElementType type) {
  const auto start = builder.StartTable();
  if (type == ElementType::f32 || type == ElementType::f16) {
    builder.AddElement<std::int16_t>(slot(0), type == ElementType::f16 ? 0 : 1, 0);  // precision
    return {ArrowType::floating, end_table(builder, start)};
  }
  const bool is_signed =
      type == ElementType::i8 || type == ElementType::i32 || type == ElementType::i64;
  builder.AddElement<std::int32_t>(slot(0), static_cast<std::int32_t>(element_bits(type)), 0);
  builder.AddElement<std::uint8_t>(slot(1), is_signed ? 1 : 0, 0);
  return {ArrowType::integer, end_table(builder, start)};
}

using Fields = flatbuffers::Vector<Offset<void>>;

Offset<void> field(FlatBufferBuilder& builder, std::string_view name, Type type,
                   const std::vector<Offset<void>>& children) {
  const auto name_at = builder.CreateString(name.data(), name.size());
  const Offset<Fields> children_at = builder.CreateVector(children);
  const auto start = builder.StartTable();
  builder.AddOffset(slot(0), name_at);
  builder.AddElement<std::uint8_t>(slot(2), std::to_underlying(type.kind), 0);
  builder.AddOffset(slot(3), type.table);
  builder.AddOffset(slot(5), children_at);
  return end_table(builder, start);
}

Offset<void> column_field(FlatBufferBuilder& builder, const Column& column) {
  switch (column.kind) {
    case ColumnKind::numbers:
      return field(builder, column.name, number_type(builder, column.type), {});
    case ColumnKind::strings: {
      const auto start = builder.StartTable();
      return field(builder, column.name, {ArrowType::utf8, end_table(builder, start)}, {});
    }
    case ColumnKind::vectors:
      break;
  }
  const auto element = field(builder, "element", number_type(builder, column.type), {});
  const auto start = builder.StartTable();
  builder.AddElement<std::int32_t>(slot(0), static_cast<std::int32_t>(column.dim), 0);
  return field(builder, column.name, {ArrowType::fixed_size_list, end_table(builder, start)},
               {element});
}

/// Returns the columns as an Arrow schema: an encapsulated message of the Arrow file format, in
/// base64. It makes Arrow read vectors as lists of a fixed size.
std::string arrow_schema(std::span<const Column> columns) {
  FlatBufferBuilder builder;
  std::vector<Offset<void>> fields;
  for (const Column& column : columns) fields.push_back(column_field(builder, column));
  const Offset<Fields> fields_at = builder.CreateVector(fields);
  const auto schema_start = builder.StartTable();
  builder.AddOffset(slot(1), fields_at);
  const Offset<void> schema = end_table(builder, schema_start);
  const auto message_start = builder.StartTable();
  builder.AddElement<std::int16_t>(slot(0), metadata_version_5, 0);
  builder.AddElement<std::uint8_t>(slot(1), header_is_schema, 0);
  builder.AddOffset(slot(2), schema);
  builder.Finish(end_table(builder, message_start));

  const std::size_t padded = (builder.GetSize() + 7) / 8 * 8;
  ByteWriter message;
  message.u32(0xFFFFFFFF);  // A message follows, not the end of the stream.
  message.u32(static_cast<std::uint32_t>(padded));
  message.bytes(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
  message.zeros(padded - builder.GetSize());
  return encode_base64(as_text(message.view()));
}

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
  const auto logical = [&](LogicalType type, auto&& fields) {
    out.begin_struct(10);
    out.begin_struct(std::to_underlying(type));
    fields();
    out.end_struct();
    out.end_struct();
  };
  if (column.kind == ColumnKind::strings) {
    logical(LogicalType::string, [] {});
  } else if (column.type == ElementType::f16) {
    logical(LogicalType::float16, [] {});
  } else if (converted != ConvertedType::none) {
    logical(LogicalType::integer, [&] {
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
    out.begin_struct(std::to_underlying(LogicalType::list));
    out.end_struct();
    out.end_struct();
  }
  out.end_struct();
}

void write_schema(CompactWriter& out, std::span<const Column> columns) {
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

void write_row_group(CompactWriter& out, std::span<const Column> columns, const RowGroup& group) {
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

void write_entries(CompactWriter& out,
                   std::span<const std::pair<std::string, std::string>> entries) {
  out.begin_list(5, CompactType::struct_, entries.size());
  for (const auto& [key, value] : entries) {
    out.begin_struct_element();
    out.text(1, key);
    out.text(2, value);
    out.end_struct();
  }
}

}  // namespace

std::size_t value_bytes(const Column& column) noexcept {
  if (column.kind == ColumnKind::strings) return 0;
  return column.type == ElementType::f16 ? 2 : std::max(4U, element_bits(column.type) / 8);
}

std::uint64_t rows_per_page(const Column& column) noexcept {
  return std::max<std::uint64_t>(
      1, page_bytes / std::max<std::size_t>(1, value_bytes(column)) / column.dim);
}

Result<FileWriter> FileWriter::create(OutputFile out) {
  FileWriter writer(std::move(out));
  EMBD_TRY(writer.out_.write(as_bytes(magic)));
  return writer;
}

Result<void> FileWriter::write_page(const Column& column, Bytes values, std::uint64_t num_rows,
                                    ColumnChunk& chunk) {
  if (chunk.codec == Codec::uncompressed) return write_aligned(column, values, num_rows, chunk);
  std::vector<std::byte> page = levels(column, num_rows);
  if (chunk.encoding == Encoding::byte_stream_split)
    append_streams(values, value_bytes(column), page);
  else
    page.insert(page.end(), values.begin(), values.end());
  const std::vector<std::byte> stored = EMBD_TRY(compress_page(page));
  return write_stored(
      EMBD_TRY(stored_page(column, {}, stored, crc32(stored), page.size(), num_rows, chunk)),
      num_rows * column.dim, chunk);
}

/// Writes an uncompressed page. The values of vectors stand at a multiple of their size, so that
/// readers can use them where they lie.
Result<void> FileWriter::write_aligned(const Column& column, Bytes values, std::uint64_t num_rows,
                                       ColumnChunk& chunk) {
  const bool is_list = column.kind == ColumnKind::vectors;
  const std::uint32_t crc = crc32(values);
  StoredPage page;
  for (unsigned fill = 0; fill <= most_fill; ++fill) {
    const std::vector<std::byte> head = levels(column, num_rows, fill);
    page = EMBD_TRY(
        stored_page(column, head, values, crc, head.size() + values.size(), num_rows, chunk));
    if (!is_list || (out_.size() + page.head.size()) % value_bytes(column) == 0) break;
  }
  return write_stored(page, num_rows * column.dim, chunk);
}

/// Writes a page and counts it in `chunk`.
Result<void> FileWriter::write_stored(const StoredPage& page, std::uint64_t num_values,
                                      ColumnChunk& chunk) {
  if (chunk.num_values == 0) chunk.offset = out_.size();
  chunk.num_values += num_values;
  chunk.bytes += page.head.size() + page.values.size();
  chunk.uncompressed_bytes += page.uncompressed_bytes;
  EMBD_TRY(out_.write(page.head));
  return out_.write(page.values);
}

void FileWriter::end_group(RowGroup group) {
  num_rows_ += group.num_rows;
  row_groups_.push_back(std::move(group));
}

Result<void> FileWriter::write_group(std::span<const Column> columns,
                                     std::span<const PlainValues> values, std::uint64_t num_rows) {
  RowGroup group = {.num_rows = num_rows, .chunks = std::vector<ColumnChunk>(columns.size())};
  for (std::size_t i = 0; i < columns.size(); ++i)
    EMBD_TRY(write_page(columns[i], values[i], num_rows, group.chunks[i]));
  end_group(std::move(group));
  return {};
}

Result<void> FileWriter::prepare(std::span<const Column> columns,
                                 std::vector<std::pair<std::string, std::string>> entries) {
  entries.emplace_back("ARROW:schema", arrow_schema(columns));
  const auto list = std::ranges::find(columns, ColumnKind::vectors, &Column::kind);
  if (list != columns.end()) entries.emplace_back(dim_key, fmt::to_string(list->dim));
  CompactWriter footer;
  footer.i32(1, 2);  // The version of the format.
  write_schema(footer, columns);
  footer.i64(3, static_cast<std::int64_t>(num_rows_));
  footer.begin_list(4, CompactType::struct_, row_groups_.size());
  for (const RowGroup& group : row_groups_) write_row_group(footer, columns, group);
  write_entries(footer, entries);
  footer.text(6, writer_name);
  ByteWriter tail;
  tail.bytes(footer.finish());
  if (tail.size() > std::numeric_limits<std::uint32_t>::max())
    return fail(ErrorCode::unsupported,
                "the footer would have more than 4 GB, the most that Parquet allows: choose more "
                "rows for each row group");
  tail.u32(static_cast<std::uint32_t>(tail.size()));
  tail.text(magic);
  EMBD_TRY(out_.write(tail.view()));
  return out_.prepare();
}

}  // namespace embd::parquet
