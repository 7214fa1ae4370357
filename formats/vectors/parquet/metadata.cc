#include "formats/vectors/parquet/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <ranges>

#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/parquet/compact_protocol.h"

namespace embd::parquet {
namespace {

using Field = CompactReader::Field;

/// A node of the schema's tree. The name refers to the file.
struct SchemaElement {
  std::string_view name;
  std::optional<std::int64_t> type;
  std::int64_t type_length = 0;
  std::int64_t repetition = 0;
  std::int64_t num_children = 0;
  ConvertedType converted = ConvertedType::none;
  LogicalType logical = LogicalType::none;
  std::int64_t bits = 0;  // of LogicalType::integer
  bool is_signed = true;
};

/// The kind of values, and their width if they are whole numbers.
struct Kind {
  ValueKind kind;
  unsigned bits = 0;
};

/// The kinds of values without an annotation, in the order of PhysicalType.
constexpr std::array<Kind, 8> physical_kinds = {{{ValueKind::boolean},
                                                 {ValueKind::signed_number, 32},
                                                 {ValueKind::signed_number, 64},
                                                 {ValueKind::timestamp},
                                                 {ValueKind::float32},
                                                 {ValueKind::float64},
                                                 {ValueKind::text},
                                                 {ValueKind::fixed_bytes}}};

/// The meaning of annotations, except those of whole numbers.
constexpr std::pair<LogicalType, ValueKind> logical_kinds[] = {
    {LogicalType::string, ValueKind::text},         {LogicalType::enumeration, ValueKind::text},
    {LogicalType::json, ValueKind::text},           {LogicalType::decimal, ValueKind::decimal},
    {LogicalType::date, ValueKind::date},           {LogicalType::time, ValueKind::time},
    {LogicalType::timestamp, ValueKind::timestamp}, {LogicalType::uuid, ValueKind::uuid},
    {LogicalType::float16, ValueKind::float16}};
constexpr std::pair<ConvertedType, ValueKind> converted_kinds[] = {
    {ConvertedType::utf8, ValueKind::text},
    {ConvertedType::enumeration, ValueKind::text},
    {ConvertedType::json, ValueKind::text},
    {ConvertedType::decimal, ValueKind::decimal},
    {ConvertedType::date, ValueKind::date},
    {ConvertedType::time_millis, ValueKind::time},
    {ConvertedType::time_micros, ValueKind::time},
    {ConvertedType::timestamp_millis, ValueKind::timestamp},
    {ConvertedType::timestamp_micros, ValueKind::timestamp},
    {ConvertedType::interval, ValueKind::interval}};

template <class Type, std::size_t kCount>
std::optional<Kind> kind_in(const std::pair<Type, ValueKind> (&kinds)[kCount], Type type) {
  const auto found = std::ranges::find(kinds, type, &std::pair<Type, ValueKind>::first);
  return found == std::end(kinds) ? std::nullopt : std::optional(Kind{found->second});
}

/// Returns what the annotations of an element say, of which the newer one counts; nothing if they
/// say nothing about its values.
std::optional<Kind> annotated_kind(const SchemaElement& element) {
  if (element.logical == LogicalType::integer)
    return Kind{element.is_signed ? ValueKind::signed_number : ValueKind::unsigned_number,
                static_cast<unsigned>(element.bits)};
  if (const auto kind = kind_in(logical_kinds, element.logical)) return kind;
  // The numbers of the types with 8, 16, 32 and 64 bits follow one another.
  const auto bits_from = [&](ConvertedType first) {
    return 8U << (std::to_underlying(element.converted) - std::to_underlying(first));
  };
  if (element.converted >= ConvertedType::uint8 && element.converted <= ConvertedType::uint64)
    return Kind{ValueKind::unsigned_number, bits_from(ConvertedType::uint8)};
  if (element.converted >= ConvertedType::int8 && element.converted <= ConvertedType::int64)
    return Kind{ValueKind::signed_number, bits_from(ConvertedType::int8)};
  return kind_in(converted_kinds, element.converted);
}

/// Returns true if values of the leaf's physical type can be of this kind.
bool can_be(const Leaf& leaf, const Kind& kind) {
  switch (kind.kind) {
    case ValueKind::signed_number:
    case ValueKind::unsigned_number:
      if (kind.bits == 64) return leaf.type == PhysicalType::int64;
      return leaf.type == PhysicalType::int32 &&
             (kind.bits == 8 || kind.bits == 16 || kind.bits == 32);
    case ValueKind::text:
      return leaf.type == PhysicalType::byte_array;
    case ValueKind::uuid:
      return leaf.type == PhysicalType::fixed_bytes && leaf.type_length == 16;
    case ValueKind::float16:
      return leaf.type == PhysicalType::fixed_bytes && leaf.type_length == 2;
    default:
      return true;
  }
}

/// Stores a value that was read.
template <class From, class To>
Result<void> put(Result<From> value, To& out) {
  out = static_cast<To>(EMBD_TRY(std::move(value)));
  return {};
}

/// Makes the leaves of a schema, which is one tree.
class LeavesReader {
 public:
  LeavesReader(const std::vector<SchemaElement>& schema, std::uint64_t end)
      : schema_(schema), end_(end) {}

  Result<std::vector<Leaf>> read() {
    const std::int64_t num_columns = next_element().num_children;
    for (std::int64_t i = 0; i < num_columns; ++i) {
      const std::size_t first = leaves_.size();
      EMBD_TRY(read_element({}, 0));
      const std::size_t count = leaves_.size() - first;
      for (Leaf& leaf : std::span(leaves_).subspan(first)) leaf.leaves = count;
    }
    return std::move(leaves_);
  }

 private:
  /// Returns the next element of the schema. It exists, because the element before has children or
  /// siblings.
  const SchemaElement& next_element() { return schema_[next_++]; }

  /// Reads an element of the schema and its children. `above` has the name of the column and the
  /// levels so far.
  Result<void> read_element(const Leaf& above, unsigned depth) {
    constexpr unsigned most_depth = 64;
    if (depth == most_depth)
      return fail_at(end_, ErrorCode::bad_count, "the schema has more than 64 levels");
    const SchemaElement& element = next_element();
    Leaf leaf = above;
    leaf.is_nested = depth > 0;
    if (depth == 0) {
      if (const auto bad_at = find_invalid_utf8(element.name))
        return fail_at(end_, ErrorCode::invalid_utf8,
                       "byte {} of the name of a column is not part of a character in UTF-8",
                       *bad_at);
      leaf.column = element.name;
    }
    if (element.repetition < 0 || element.repetition > 2)
      return fail_at(end_, ErrorCode::bad_value,
                     "the repetition of a column is {}, which Parquet does not define",
                     element.repetition);
    const auto repetition = static_cast<Repetition>(element.repetition);
    if (repetition != Repetition::required) ++leaf.most_definition;
    if (repetition == Repetition::repeated) ++leaf.most_repetition;
    if (element.num_children <= 0) return add(std::move(leaf), element);
    for (std::int64_t i = 0; i < element.num_children; ++i) EMBD_TRY(read_element(leaf, depth + 1));
    return {};
  }

  Result<void> add(Leaf leaf, const SchemaElement& element) {
    if (!element.type || *element.type < 0 || *element.type > 7)
      return fail_at(end_, ErrorCode::bad_value,
                     "column {:?} has the type {}, which Parquet does not define", leaf.column,
                     element.type.value_or(-1));
    leaf.type = static_cast<PhysicalType>(*element.type);
    leaf.type_length = static_cast<std::uint64_t>(std::max<std::int64_t>(0, element.type_length));
    const auto annotated = annotated_kind(element);
    const Kind kind = annotated && can_be(leaf, *annotated)
                          ? *annotated
                          : physical_kinds[static_cast<std::size_t>(leaf.type)];
    leaf.kind = kind.kind;
    leaf.bits = kind.bits;
    leaves_.push_back(std::move(leaf));
    return {};
  }

  const std::vector<SchemaElement>& schema_;
  const std::uint64_t end_;  // of the footer in the file
  std::size_t next_ = 0;     // the next element of the schema
  std::vector<Leaf> leaves_;
};

class FooterReader {
 public:
  FooterReader(Bytes bytes, std::uint64_t offset) : in_(ByteReader(bytes, offset)) {}

  Result<FileMetadata> read() {
    bool has_rows = false;
    bool has_groups = false;
    EMBD_TRY(in_.for_each_field("footer", [&](Field field) -> Result<void> {
      has_rows = has_rows || field.number == 3;
      has_groups = has_groups || field.number == 4;
      switch (field.number) {
        case 2:
          return read_list(field, "schema", schema_, &FooterReader::schema_element);
        case 3:
          return read_count(field, "number of rows", found_.num_rows);
        case 4:
          return read_list(field, "row groups", found_.row_groups, &FooterReader::row_group);
        case 5:
          return read_list(field, "metadata", found_.entries, &FooterReader::key_value);
        case 6:
          return put(in_.binary(field, "writer"), found_.created_by);
        case 8:
        case 9:
          return refuse("encryption");
        default:
          return in_.skip(field.type);
      }
    }));
    if (in_.remaining() != 0)
      return fail_at(in_.offset(), ErrorCode::trailing_bytes,
                     "{} bytes follow the metadata in the footer, expected none", in_.remaining());
    if (!has_rows || !has_groups)
      return fail_at(in_.offset(), ErrorCode::missing,
                     "the footer does not say how many rows there are, or where");
    EMBD_TRY(check_schema());
    found_.leaves = EMBD_TRY(LeavesReader(schema_, in_.offset()).read());
    EMBD_TRY(check_groups());
    return std::move(found_);
  }

 private:
  std::unexpected<Error> refuse(const std::string& what) const {
    return std::unexpected(not_read(what).at_offset(in_.offset()));
  }

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
    if (value < 0) return fail_at(in_.offset(), ErrorCode::bad_count, "{} {}", name, value);
    out = static_cast<std::uint64_t>(value);
    return {};
  }

  Result<SchemaElement> schema_element() {
    SchemaElement element;
    EMBD_TRY(in_.for_each_field("schema element", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 1:
          return put(in_.integer(field, "type"), element.type);
        case 2:
          return put(in_.integer(field, "type length"), element.type_length);
        case 3:
          return put(in_.integer(field, "repetition"), element.repetition);
        case 4:
          return put(in_.binary(field, "name"), element.name);
        case 5:
          return put(in_.integer(field, "number of children"), element.num_children);
        case 6:
          return put(in_.integer(field, "converted type"), element.converted);
        case 10:
          EMBD_TRY(in_.expect(field.type, CompactType::struct_, "logical type"));
          return read_logical(element);
        default:
          return in_.skip(field.type);
      }
    }));
    return element;
  }

  Result<void> read_logical(SchemaElement& element) {
    return in_.for_each_field("logical type", [&](Field member) -> Result<void> {
      element.logical = static_cast<LogicalType>(member.number);
      if (element.logical != LogicalType::integer || member.type != CompactType::struct_)
        return in_.skip(member.type);
      return in_.for_each_field("integer type", [&](Field part) -> Result<void> {
        if (part.number == 1) {
          element.bits = EMBD_TRY(in_.integer(part, "bits"));
        } else if (part.number == 2) {
          element.is_signed = EMBD_TRY(in_.boolean(part, "sign"));
        } else {
          return in_.skip(part.type);
        }
        return {};
      });
    });
  }

  Result<RowGroup> row_group() {
    RowGroup group;
    EMBD_TRY(in_.for_each_field("row group", [&](Field field) -> Result<void> {
      if (field.number == 1) return read_list(field, "columns", group.chunks, &FooterReader::chunk);
      if (field.number == 3) return read_count(field, "number of rows", group.num_rows);
      return in_.skip(field.type);
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
    std::uint64_t dictionary = 0;
    EMBD_TRY(in_.for_each_field("column metadata", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 4:
          return put(in_.integer(field, "codec"), chunk.codec);
        case 5:
          return read_count(field, "number of values", chunk.num_values);
        case 6:
          return read_count(field, "uncompressed bytes", chunk.uncompressed_bytes);
        case 7:
          return read_count(field, "compressed bytes", chunk.bytes);
        case 9:
          return read_count(field, "data page offset", chunk.offset);
        case 11:
          return read_count(field, "dictionary page offset", dictionary);
        default:
          return in_.skip(field.type);
      }
    }));
    // The dictionary stands first. Some writers state 0 if there is none.
    if (dictionary > 0 && dictionary < chunk.offset) chunk.offset = dictionary;
    return {};
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

  /// Checks that the elements are one tree: the root, and as many elements below each group as the
  /// group states.
  Result<void> check_schema() const {
    std::uint64_t wanted = 1;
    for (const SchemaElement& element : schema_) {
      if (wanted == 0)
        return fail_at(in_.offset(), ErrorCode::bad_count,
                       "the schema has more elements than its groups say");
      const auto children =
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, element.num_children));
      if (children > schema_.size()) break;
      wanted += children - 1;
    }
    if (wanted == 0) return {};
    return fail_at(in_.offset(), ErrorCode::bad_count,
                   "the schema has fewer elements than its groups say");
  }

  /// Checks that each row group has a chunk for each leaf of the schema, and that the rows of the
  /// groups add up to those of the file.
  Result<void> check_groups() const {
    std::uint64_t rows = 0;
    for (const RowGroup& group : found_.row_groups) {
      if (group.chunks.size() != found_.leaves.size())
        return fail_at(in_.offset(), ErrorCode::bad_count,
                       "a row group has {} columns, expected {}", group.chunks.size(),
                       found_.leaves.size());
      if (group.num_rows > found_.num_rows - rows)
        return fail_at(in_.offset(), ErrorCode::bad_count,
                       "the row groups together have more rows than the file, which has {}",
                       found_.num_rows);
      rows += group.num_rows;
    }
    if (rows == found_.num_rows) return {};
    return fail_at(in_.offset(), ErrorCode::bad_count,
                   "the row groups have {} rows together, but the file has {}", rows,
                   found_.num_rows);
  }

  CompactReader in_;
  std::vector<SchemaElement> schema_;  // each group stands before its children
  FileMetadata found_;
};

class PageHeaderReader {
 public:
  PageHeaderReader(Bytes bytes, std::uint64_t offset) : in_(ByteReader(bytes, offset)) {}

  Result<PageHeader> read() {
    std::int64_t type = -1;
    EMBD_TRY(in_.for_each_field("page header", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 1:
          return put(in_.integer(field, "page type"), type);
        case 2:
          return read_size(field, "uncompressed bytes", header_.uncompressed_bytes);
        case 3:
          return read_size(field, "compressed bytes", header_.compressed_bytes);
        case 4:
          return put(in_.integer(field, "checksum"), header_.crc);
        case 5:  // of a data page
        case 7:  // of a dictionary
        case 8:  // of a data page of version 2
          EMBD_TRY(in_.expect(field.type, CompactType::struct_, "page header"));
          return read_values(field.number);
        default:
          return in_.skip(field.type);
      }
    }));
    if (type < 0 || type > 3)
      return fail_at(in_.offset(), ErrorCode::bad_value,
                     "the type of a page is {}, expected 0 to 3", type);
    header_.type = static_cast<PageType>(type);
    return header_;
  }
  std::uint64_t end() const noexcept { return in_.offset(); }

 private:
  Result<void> read_size(Field field, std::string_view name, std::uint32_t& out) {
    const std::int64_t value = EMBD_TRY(in_.integer(field, name));
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
      return fail_at(in_.offset(), ErrorCode::bad_value, "{} {}", name, value);
    out = static_cast<std::uint32_t>(value);
    return {};
  }

  Result<void> read_encoding(Field field, Encoding& out) {
    return put(in_.integer(field, "encoding"), out);
  }

  /// Reads the part of the header that is the field `kind` of all headers.
  Result<void> read_values(std::int16_t kind) {
    return in_.for_each_field("page header", [&](Field part) -> Result<void> {
      if (part.number == 1) return read_size(part, "number of values", header_.num_values);
      if (kind == 8) return read_part_of_version_2(part);
      if (part.number == 2) return read_encoding(part, header_.encoding);
      if (kind == 5 && part.number == 3) return read_encoding(part, header_.definition);
      if (kind == 5 && part.number == 4) return read_encoding(part, header_.repetition);
      return in_.skip(part.type);
    });
  }

  Result<void> read_part_of_version_2(Field part) {
    switch (part.number) {
      case 4:
        return read_encoding(part, header_.encoding);
      case 5:
        return read_size(part, "bytes of levels", header_.definition_bytes);
      case 6:
        return read_size(part, "bytes of levels", header_.repetition_bytes);
      case 7:
        return put(in_.boolean(part, "compression"), header_.is_compressed);
      default:
        return in_.skip(part.type);
    }
  }

  CompactReader in_;
  PageHeader header_;
};

/// Returns the name of `value`, or `unknown` and its number if it has none.
template <class Enumeration, std::size_t kCount>
std::string name_in(const std::array<std::string_view, kCount>& names, Enumeration value,
                    std::string_view unknown) {
  const auto number = static_cast<std::size_t>(std::to_underlying(value));
  return number < kCount ? std::string(names[number])
                         : fmt::format("{} {}", unknown, std::to_underlying(value));
}

}  // namespace

std::string Leaf::value_name() const {
  constexpr std::array<std::string_view, 14> names = {
      "boolean", "i",    "u",         "f16",      "f32",    "f64",  "decimal",
      "date",    "time", "timestamp", "interval", "string", "uuid", "fixed bytes"};
  const std::string_view name = names[std::to_underlying(kind)];
  return has_whole_numbers() ? fmt::format("{}{}", name, bits) : std::string(name);
}

const std::string* FileMetadata::entry(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &std::pair<std::string, std::string>::first);
  return found == entries.end() ? nullptr : &found->second;
}

Result<FileMetadata> parse_footer(Bytes footer, std::uint64_t offset) {
  return FooterReader(footer, offset).read();
}

Result<PageHeader> parse_page_header(Bytes bytes, std::uint64_t offset, std::size_t& size) {
  PageHeaderReader reader(bytes, offset);
  PageHeader header = EMBD_TRY(reader.read());
  size = reader.end() - offset;
  return header;
}

std::string name_of(Encoding encoding) {
  constexpr std::array<std::string_view, 10> names = {"plain",
                                                      "encoding 1",
                                                      "a dictionary",
                                                      "runs",
                                                      "bit packing",
                                                      "binary packed differences",
                                                      "differences of lengths",
                                                      "differences of strings",
                                                      "a dictionary",
                                                      "split byte streams"};
  return name_in(names, encoding, "encoding");
}

std::string name_of(Codec codec) {
  constexpr std::array<std::string_view, 8> names = {"no codec", "Snappy", "gzip",      "LZO",
                                                     "Brotli",   "LZ4",    "Zstandard", "raw LZ4"};
  return name_in(names, codec, "codec");
}

Error not_read(const std::string& what) {
  return {ErrorCode::unsupported,
          fmt::format("{}, which embd does not read. DuckDB writes it as embd does: "
                      "COPY (SELECT * FROM 'in.parquet') TO 'out.parquet'",
                      what)};
}

}  // namespace embd::parquet
