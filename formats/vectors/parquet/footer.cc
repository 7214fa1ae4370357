#include "formats/vectors/parquet/footer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/byte_reader.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/parquet/arrow_schema.h"
#include "formats/vectors/parquet/compact_protocol.h"

namespace embd::parquet {
namespace {

/// Of LogicalType, a union: the fields of its members that are used here.
constexpr std::int16_t logical_string = 1;
constexpr std::int16_t logical_list = 3;
constexpr std::int16_t logical_integer = 10;
constexpr std::int16_t logical_float16 = 15;

constexpr std::array codec_names = {"no codec", "Snappy", "gzip",      "LZO",
                                    "Brotli",   "LZ4",    "Zstandard", "raw LZ4"};
constexpr std::array encoding_names = {"plain",
                                       "encoding 1",
                                       "a dictionary",
                                       "runs",
                                       "bit packing",
                                       "binary packed differences",
                                       "differences of lengths",
                                       "differences of strings",
                                       "a dictionary",
                                       "split byte streams"};

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
  if (column.type == ElementType::f16) out.i32(2, 2);  // bytes of a value
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
  out.i64(2, 0);  // nothing of it stands apart from its pages
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

std::vector<std::byte> copy(Bytes bytes) {
  return {bytes.begin(), bytes.end()};
}

/// A node of the schema's tree as the file lists them, each group before its children.
struct SchemaElement {
  std::optional<std::int64_t> type;
  std::int64_t type_length = 0;
  std::int64_t repetition = 0;
  std::string_view name;
  std::int64_t num_children = 0;
  std::int64_t converted = std::to_underlying(ConvertedType::none);
  bool is_float16 = false;
};

class FooterReader {
 public:
  FooterReader(Bytes bytes, std::uint64_t offset) : in_(ByteReader(bytes, offset)) {}

  Result<Footer> read() {
    EMBD_TRY(in_.for_each_field("footer", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 2:
          return read_list(field, "schema", elements_, &FooterReader::schema_element);
        case 3:
          return read_count(field, "number of rows", footer_.num_rows);
        case 4:
          return read_list(field, "row groups", footer_.row_groups, &FooterReader::row_group);
        case 5:
          return read_list(field, "metadata", footer_.metadata, &FooterReader::key_value);
        case 8:
        case 9:
          return refuse("encryption");
        default:
          return in_.skip(field.type);
      }
    }));
    if (in_.remaining() != 0)
      return bad(ErrorCode::trailing_bytes,
                 fmt::format("{} bytes behind the footer", in_.remaining()));
    EMBD_TRY(read_columns());
    EMBD_TRY(check_counts());
    return std::move(footer_);
  }

 private:
  using Field = CompactReader::Field;

  std::unexpected<Error> bad(ErrorCode code, std::string what) const {
    return std::unexpected(Error(code, std::move(what)).at_offset(in_.offset()));
  }

  std::unexpected<Error> refuse(std::string what) const {
    return std::unexpected(foreign(std::move(what)).at_offset(in_.offset()));
  }

  /// A list of structs; each takes at least a byte, so their number is at most what is left.
  template <class T>
  Result<void> read_list(Field field, std::string_view name, std::vector<T>& out,
                         Result<T> (FooterReader::*element)()) {
    const auto list = EMBD_TRY(in_.list(field, CompactType::struct_, name));
    out.clear();
    for (std::uint64_t i = 0; i < list.count; ++i) out.push_back(EMBD_TRY((this->*element)()));
    return {};
  }

  Result<void> read_count(Field field, std::string_view name, std::uint64_t& out) {
    const std::int64_t value = EMBD_TRY(in_.integer(field, name));
    if (value < 0) return bad(ErrorCode::bad_count, fmt::format("{} {}", name, value));
    out = static_cast<std::uint64_t>(value);
    return {};
  }

  Result<void> read_integer(Field field, std::string_view name, std::int64_t& out) {
    out = EMBD_TRY(in_.integer(field, name));
    return {};
  }

  Result<SchemaElement> schema_element() {
    SchemaElement element;
    EMBD_TRY(in_.for_each_field("schema element", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 1:
          element.type = EMBD_TRY(in_.integer(field, "type"));
          return {};
        case 2:
          return read_integer(field, "type length", element.type_length);
        case 3:
          return read_integer(field, "repetition", element.repetition);
        case 4:
          element.name = EMBD_TRY(in_.binary(field, "name"));
          return {};
        case 5:
          return read_integer(field, "number of children", element.num_children);
        case 6:
          return read_integer(field, "converted type", element.converted);
        case 10:
          EMBD_TRY(in_.expect(field.type, CompactType::struct_, "logical type"));
          return in_.for_each_field("logical type", [&](Field member) {
            if (member.number == logical_float16) element.is_float16 = true;
            return in_.skip(member.type);
          });
        default:
          return in_.skip(field.type);
      }
    }));
    return element;
  }

  Result<RowGroup> row_group() {
    RowGroup group;
    EMBD_TRY(in_.for_each_field("row group", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 1:
          return read_list(field, "columns", group.chunks, &FooterReader::chunk);
        case 3:
          return read_count(field, "number of rows", group.num_rows);
        default:
          return in_.skip(field.type);
      }
    }));
    return group;
  }

  Result<ColumnChunk> chunk() {
    ColumnChunk chunk;
    EMBD_TRY(in_.for_each_field("column chunk", [&](Field field) -> Result<void> {
      if (field.number == 1) return refuse("a column in another file");
      if (field.number == 8 || field.number == 9) return refuse("encryption");
      if (field.number != 3) return in_.skip(field.type);
      EMBD_TRY(in_.expect(field.type, CompactType::struct_, "column metadata"));
      return column_metadata(chunk);
    }));
    return chunk;
  }

  Result<void> column_metadata(ColumnChunk& chunk) {
    return in_.for_each_field("column metadata", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 4: {
          const std::int64_t codec = EMBD_TRY(in_.integer(field, "codec"));
          chunk.codec = static_cast<Codec>(codec);
          if (codec == 0 || chunk.codec == Codec::zstd) return {};
          if (codec < 0 || codec >= std::int64_t{codec_names.size()})
            return bad(ErrorCode::bad_value, fmt::format("codec {}, expected 0 to 7", codec));
          return refuse(
              fmt::format("compression by {}", codec_names[static_cast<std::size_t>(codec)]));
        }
        case 5:
          return read_count(field, "number of values", chunk.num_values);
        case 6:
          return read_count(field, "uncompressed bytes", chunk.uncompressed_bytes);
        case 7:
          return read_count(field, "compressed bytes", chunk.bytes);
        case 9:
          return read_count(field, "data page offset", chunk.offset);
        case 11:
          return refuse("dictionary encoding");
        default:
          return in_.skip(field.type);
      }
    });
  }

  Result<std::pair<std::string, std::string>> key_value() {
    std::pair<std::string, std::string> entry;
    EMBD_TRY(in_.for_each_field("metadata", [&](Field field) -> Result<void> {
      if (field.number != 1 && field.number != 2) return in_.skip(field.type);
      (field.number == 1 ? entry.first : entry.second) = EMBD_TRY(in_.binary(field, "metadata"));
      return {};
    }));
    return entry;
  }

  /// The next element of the schema.
  Result<const SchemaElement*> next_element() {
    if (next_ < elements_.size()) return &elements_[next_++];
    return bad(ErrorCode::bad_count, "a schema of fewer elements than its groups say");
  }

  Result<void> read_columns() {
    const SchemaElement* root = EMBD_TRY(next_element());
    for (std::int64_t i = 0; i < root->num_children; ++i)
      footer_.columns.push_back(EMBD_TRY(read_column()));
    if (next_ != elements_.size())
      return bad(ErrorCode::bad_count, "a schema of more elements than its groups say");
    return {};
  }

  Result<Column> read_column() {
    const SchemaElement* element = EMBD_TRY(next_element());
    if (const auto bad_at = find_invalid_utf8(element->name))
      return bad(ErrorCode::invalid_utf8, fmt::format("byte {} of a column's name", *bad_at));
    Column column = {.name = std::string(element->name)};
    EMBD_TRY(check_required(*element));
    if (element->num_children == 0) {
      EMBD_TRY(set_type(*element, column));
      return column;
    }
    if (element->converted != std::to_underlying(ConvertedType::list) || element->num_children != 1)
      return refuse(fmt::format("column {:?}, a struct or a map", column.name));
    const SchemaElement* list = EMBD_TRY(next_element());
    const SchemaElement* value = EMBD_TRY(next_element());
    if (list->repetition != std::to_underlying(Repetition::repeated) || list->num_children != 1 ||
        value->num_children != 0)
      return refuse(fmt::format("column {:?}, a nested list", column.name));
    EMBD_TRY(check_required(*value));
    EMBD_TRY(set_type(*value, column));
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

  /// The kind and type of a leaf.
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

  /// How many values a row of the vectors has, which the schema does not say.
  Result<std::uint64_t> read_dim() {
    for (const auto& [key, value] : footer_.metadata) {
      if (key != dim_key) continue;
      std::uint64_t dim = 0;
      const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), dim);
      const bool is_number = code == std::errc() && end == value.data() + value.size();
      if (is_number && dim > 0 && dim <= max_dim) return dim;
      return bad(ErrorCode::bad_value,
                 fmt::format("metadata {} is {:?}, expected a number from 1 to {}", dim_key, value,
                             max_dim));
    }
    return refuse(fmt::format("no metadata {}", dim_key));
  }

  /// Finds the columns that the rows are made of: the only one of lists, or those of scores.
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

  /// The places of two columns of float32; none if one is not there.
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

  Result<void> check_counts() {
    for (Column& column : footer_.columns)
      if (column.kind == ColumnKind::vectors) column.dim = EMBD_TRY(read_dim());
    EMBD_TRY(find_row_columns());
    std::uint64_t rows = 0;
    for (const RowGroup& group : footer_.row_groups) {
      if (group.num_rows > footer_.num_rows - rows)
        return bad(ErrorCode::bad_count,
                   fmt::format("row groups of more rows than the file's {}", footer_.num_rows));
      rows += group.num_rows;
      EMBD_TRY(check_group(group));
    }
    if (rows != footer_.num_rows)
      return bad(ErrorCode::bad_count,
                 fmt::format("{} rows in row groups, {} in the file", rows, footer_.num_rows));
    return {};
  }

  Result<void> check_group(const RowGroup& group) const {
    if (group.chunks.size() != footer_.columns.size())
      return bad(ErrorCode::bad_count, fmt::format("a row group of {} columns, expected {}",
                                                   group.chunks.size(), footer_.columns.size()));
    for (std::size_t i = 0; i < group.chunks.size(); ++i) {
      const Column& column = footer_.columns[i];
      const std::uint64_t values = group.chunks[i].num_values;
      // num_values is compared by division: the product might overflow.
      if (values % column.dim == 0 && values / column.dim == group.num_rows) continue;
      return bad(ErrorCode::bad_count,
                 fmt::format("column {:?}: {} values in a group of {} rows of {}", column.name,
                             values, group.num_rows, column.dim));
    }
    return {};
  }

  CompactReader in_;
  Footer footer_;
  std::vector<SchemaElement> elements_;
  std::size_t next_ = 0;  // of elements_
};

}  // namespace

Error foreign(std::string what) {
  return {ErrorCode::unsupported,
          fmt::format("{}, which embd does not read. DuckDB writes it as embd does: duckdb -c "
                      "\"COPY (SELECT id, embedding FROM 'in.parquet') TO 'out.parquet'\"",
                      what)};
}

std::vector<std::byte> format_footer(const Footer& footer) {
  CompactWriter out;
  out.i32(1, 2);  // version
  write_schema(out, footer.columns);
  out.i64(3, static_cast<std::int64_t>(footer.num_rows));
  out.begin_list(4, CompactType::struct_, footer.row_groups.size());
  for (const RowGroup& group : footer.row_groups) write_row_group(out, footer.columns, group);
  write_metadata(out, footer);
  out.text(6, "embd");
  return copy(out.finish());
}

Result<std::uint64_t> find_footer(Bytes file) {
  const auto bad = [](std::uint64_t offset, ErrorCode code, std::string what) {
    return std::unexpected(Error(code, std::move(what)).at_offset(offset));
  };
  if (file.size() < magic.size() + tail_bytes)
    return bad(0, ErrorCode::file_too_short, fmt::format("{} bytes", file.size()));
  if (as_text(file.first(magic.size())) != magic)
    return bad(0, ErrorCode::bad_magic, "no PAR1 at the beginning");
  const std::uint64_t tail = file.size() - tail_bytes;
  if (as_text(file.subspan(tail + 4)) != magic)
    return bad(tail + 4, ErrorCode::bad_magic, "no PAR1 at the end");
  const std::uint64_t size = load<std::uint32_t>(file.subspan(tail));
  if (size > tail - magic.size())
    return bad(tail, ErrorCode::section_out_of_bounds,
               fmt::format("a footer of {} bytes in a file of {}", size, file.size()));
  return tail - size;
}

Result<Footer> parse_footer(Bytes bytes, std::uint64_t offset) {
  return FooterReader(bytes, offset).read();
}

std::vector<std::byte> format_page_header(const PageHeader& header) {
  CompactWriter out;
  out.i32(1, std::to_underlying(PageType::data));
  out.i32(2, static_cast<std::int32_t>(header.uncompressed_bytes));
  out.i32(3, static_cast<std::int32_t>(header.compressed_bytes));
  out.i32(4, static_cast<std::int32_t>(header.crc));
  out.begin_struct(5);
  out.i32(1, static_cast<std::int32_t>(header.num_values));
  out.i32(2, std::to_underlying(header.encoding));
  out.i32(3, std::to_underlying(Encoding::rle));  // of definition levels
  out.i32(4, std::to_underlying(Encoding::rle));  // of repetition levels
  out.end_struct();
  return copy(out.finish());
}

Result<PageHeader> parse_page_header(Bytes bytes, std::uint64_t offset, std::size_t& size) {
  using Field = CompactReader::Field;
  CompactReader in(ByteReader(bytes, offset));
  PageHeader header;
  const auto read = [&](Field field, std::string_view name, std::uint32_t& out) -> Result<void> {
    const std::int64_t value = EMBD_TRY(in.integer(field, name));
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
      return std::unexpected(
          Error(ErrorCode::bad_value, fmt::format("{} {}", name, value)).at_offset(in.offset()));
    out = static_cast<std::uint32_t>(value);
    return {};
  };
  const auto refuse = [&](std::string what) {
    return std::unexpected(foreign(std::move(what)).at_offset(offset));
  };
  bool is_data = false;
  EMBD_TRY(in.for_each_field("page header", [&](Field field) -> Result<void> {
    switch (field.number) {
      case 1: {
        const std::int64_t type = EMBD_TRY(in.integer(field, "page type"));
        is_data = type == std::to_underlying(PageType::data);
        if (is_data) return {};
        return refuse(fmt::format("a page of type {}", type));
      }
      case 2:
        return read(field, "uncompressed bytes", header.uncompressed_bytes);
      case 3:
        return read(field, "compressed bytes", header.compressed_bytes);
      case 4:
        header.crc = static_cast<std::uint32_t>(EMBD_TRY(in.integer(field, "checksum")));
        header.has_crc = true;
        return {};
      case 5:
        EMBD_TRY(in.expect(field.type, CompactType::struct_, "data page header"));
        return in.for_each_field("data page header", [&](Field part) -> Result<void> {
          if (part.number == 1) return read(part, "number of values", header.num_values);
          if (part.number != 2) return in.skip(part.type);
          const std::int64_t encoding = EMBD_TRY(in.integer(part, "encoding"));
          header.encoding = static_cast<Encoding>(encoding);
          if (encoding == 0 || header.encoding == Encoding::byte_stream_split) return {};
          const bool known = encoding > 0 && encoding < std::int64_t{encoding_names.size()};
          return refuse(fmt::format(
              "values coded by {}",
              known ? encoding_names[static_cast<std::size_t>(encoding)] : "a new way"));
        });
      default:
        return in.skip(field.type);
    }
  }));
  if (!is_data)
    return std::unexpected(Error(ErrorCode::missing, "a page without a type").at_offset(offset));
  size = in.offset() - offset;
  return header;
}

}  // namespace embd::parquet
