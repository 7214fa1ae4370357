#include "formats/vectors/parquet/foreign_footer.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/parquet/compact_protocol.h"
#include "formats/vectors/parquet/footer.h"

namespace embd::parquet {
namespace {

constexpr std::int16_t logical_integer = 10;
constexpr std::int16_t logical_float16 = 15;
/// Converted types: unsigned numbers of 8 to 64 bits.
constexpr std::int64_t first_unsigned = 11;
constexpr std::int64_t last_unsigned = 14;

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

struct SchemaElement {
  std::optional<std::int64_t> type;
  std::int64_t type_length = 0;
  std::int64_t repetition = 0;
  std::string_view name;
  std::int64_t num_children = 0;
  bool is_unsigned = false;
  bool is_float16 = false;
};

class ForeignFooterReader {
 public:
  ForeignFooterReader(Bytes bytes, std::uint64_t offset) : in_(ByteReader(bytes, offset)) {}

  Result<ForeignFooter> read() {
    EMBD_TRY(in_.for_each_field("footer", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 2:
          return read_list(field, "schema", elements_, &ForeignFooterReader::schema_element);
        case 3:
          return read_count(field, "number of rows", footer_.num_rows);
        case 4:
          return read_list(field, "row groups", footer_.row_groups,
                           &ForeignFooterReader::row_group);
        case 5:
          return read_list(field, "metadata", footer_.metadata, &ForeignFooterReader::key_value);
        case 6:
          footer_.created_by = EMBD_TRY(in_.binary(field, "writer"));
          return {};
        case 8:
          return refuse("encryption");
        default:
          return in_.skip(field.type);
      }
    }));
    EMBD_TRY(read_columns());
    EMBD_TRY(check_groups());
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

  template <class T>
  Result<void> read_list(Field field, std::string_view name, std::vector<T>& out,
                         Result<T> (ForeignFooterReader::*element)()) {
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

  Result<SchemaElement> schema_element() {
    SchemaElement element;
    EMBD_TRY(in_.for_each_field("schema element", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 1:
          element.type = EMBD_TRY(in_.integer(field, "type"));
          return {};
        case 2:
          element.type_length = EMBD_TRY(in_.integer(field, "type length"));
          return {};
        case 3:
          element.repetition = EMBD_TRY(in_.integer(field, "repetition"));
          return {};
        case 4:
          element.name = EMBD_TRY(in_.binary(field, "name"));
          return {};
        case 5:
          element.num_children = EMBD_TRY(in_.integer(field, "number of children"));
          return {};
        case 6: {
          const std::int64_t converted = EMBD_TRY(in_.integer(field, "converted type"));
          element.is_unsigned = converted >= first_unsigned && converted <= last_unsigned;
          return {};
        }
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
      if (member.number == logical_float16) element.is_float16 = true;
      if (member.number != logical_integer || member.type != CompactType::struct_)
        return in_.skip(member.type);
      return in_.for_each_field("integer type", [&](Field part) -> Result<void> {
        constexpr std::int16_t is_signed = 2;
        if (part.number != is_signed) return in_.skip(part.type);
        element.is_unsigned = !EMBD_TRY(in_.boolean(part, "sign"));
        return {};
      });
    });
  }

  Result<ForeignRowGroup> row_group() {
    ForeignRowGroup group;
    EMBD_TRY(in_.for_each_field("row group", [&](Field field) -> Result<void> {
      if (field.number == 1)
        return read_list(field, "columns", group.chunks, &ForeignFooterReader::chunk);
      if (field.number == 3) return read_count(field, "number of rows", group.num_rows);
      return in_.skip(field.type);
    }));
    return group;
  }

  Result<ForeignChunk> chunk() {
    ForeignChunk chunk;
    EMBD_TRY(in_.for_each_field("column chunk", [&](Field field) -> Result<void> {
      if (field.number == 1) return refuse("a column in another file");
      if (field.number == 8 || field.number == 9) return refuse("encryption");
      if (field.number != 3) return in_.skip(field.type);
      EMBD_TRY(in_.expect(field.type, CompactType::struct_, "column metadata"));
      return column_metadata(chunk);
    }));
    return chunk;
  }

  Result<void> column_metadata(ForeignChunk& chunk) {
    std::uint64_t dictionary = 0;
    EMBD_TRY(in_.for_each_field("column metadata", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 4: {
          const std::int64_t codec = EMBD_TRY(in_.integer(field, "codec"));
          if (codec < 0 || codec >= std::int64_t{codec_names.size()})
            return bad(ErrorCode::bad_value, fmt::format("codec {}, expected 0 to 7", codec));
          chunk.codec = static_cast<Codec>(codec);
          return {};
        }
        case 5:
          return read_count(field, "number of values", chunk.num_values);
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
    // The dictionary comes first. Some writers say 0 where there is none.
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

  Result<const SchemaElement*> next_element() {
    if (next_ < elements_.size()) return &elements_[next_++];
    return bad(ErrorCode::bad_count, "a schema of fewer elements than its groups say");
  }

  Result<void> read_columns() {
    const SchemaElement* root = EMBD_TRY(next_element());
    for (std::int64_t i = 0; i < root->num_children; ++i) {
      const std::size_t first = footer_.columns.size();
      EMBD_TRY(read_element({}, 0));
      const std::size_t leaves = footer_.columns.size() - first;
      for (std::size_t leaf = first; leaf < footer_.columns.size(); ++leaf)
        footer_.columns[leaf].leaves = leaves;
    }
    if (next_ != elements_.size())
      return bad(ErrorCode::bad_count, "a schema of more elements than its groups say");
    return {};
  }

  /// Reads an element and those below it. `above`: the column's name and the levels so far.
  Result<void> read_element(const ForeignColumn& above, unsigned depth) {
    constexpr unsigned most_depth = 64;
    if (depth == most_depth) return bad(ErrorCode::bad_count, "a schema of more than 64 levels");
    const SchemaElement* element = EMBD_TRY(next_element());
    ForeignColumn column = above;
    if (depth == 0) {
      if (const auto bad_at = find_invalid_utf8(element->name))
        return bad(ErrorCode::invalid_utf8, fmt::format("byte {} of a column's name", *bad_at));
      column.name = element->name;
    }
    if (element->repetition < 0 || element->repetition > 2)
      return bad(ErrorCode::bad_value, fmt::format("repetition {}", element->repetition));
    const auto repetition = static_cast<Repetition>(element->repetition);
    if (repetition != Repetition::required) ++column.most_definition;
    if (repetition == Repetition::repeated) ++column.most_repetition;
    if (element->num_children > 0) {
      for (std::int64_t i = 0; i < element->num_children; ++i)
        EMBD_TRY(read_element(column, depth + 1));
      return {};
    }
    if (!element->type || *element->type < 0 || *element->type > 7)
      return bad(ErrorCode::bad_value,
                 fmt::format("column {:?} of type {}", column.name, element->type.value_or(-1)));
    column.type = static_cast<PhysicalType>(*element->type);
    column.type_length = element->type_length;
    column.is_float16 = element->is_float16;
    column.is_unsigned = element->is_unsigned;
    footer_.columns.push_back(std::move(column));
    return {};
  }

  Result<void> check_groups() const {
    std::uint64_t rows = 0;
    for (const ForeignRowGroup& group : footer_.row_groups) {
      if (group.chunks.size() != footer_.columns.size())
        return bad(ErrorCode::bad_count, fmt::format("a row group of {} columns, expected {}",
                                                     group.chunks.size(), footer_.columns.size()));
      if (group.num_rows > footer_.num_rows - rows)
        return bad(ErrorCode::bad_count,
                   fmt::format("row groups of more rows than the file's {}", footer_.num_rows));
      rows += group.num_rows;
    }
    if (rows == footer_.num_rows) return {};
    return bad(ErrorCode::bad_count,
               fmt::format("{} rows in row groups, {} in the file", rows, footer_.num_rows));
  }

  CompactReader in_;
  ForeignFooter footer_;
  std::vector<SchemaElement> elements_;
  std::size_t next_ = 0;  // of elements_
};

using Field = CompactReader::Field;

Result<std::uint32_t> size_of(CompactReader& in, Field field, std::string_view name) {
  const std::int64_t value = EMBD_TRY(in.integer(field, name));
  if (value >= 0 && value <= std::numeric_limits<std::int32_t>::max())
    return static_cast<std::uint32_t>(value);
  return std::unexpected(
      Error(ErrorCode::bad_value, fmt::format("{} {}", name, value)).at_offset(in.offset()));
}

Result<Encoding> encoding_of(CompactReader& in, Field field) {
  const std::int64_t value = EMBD_TRY(in.integer(field, "encoding"));
  if (value >= 0 && value < std::int64_t{encoding_names.size()})
    return static_cast<Encoding>(value);
  return std::unexpected(foreign(fmt::format("encoding {}", value)).at_offset(in.offset()));
}

/// Reads the header of a data page of version 1 or of a dictionary.
Result<void> read_data_header(CompactReader& in, ForeignPageHeader& header) {
  return in.for_each_field("page header", [&](Field part) -> Result<void> {
    switch (part.number) {
      case 1:
        header.num_values = EMBD_TRY(size_of(in, part, "number of values"));
        return {};
      case 2:
        header.encoding = EMBD_TRY(encoding_of(in, part));
        return {};
      case 3:
      case 4:
        // Field 3 of a dictionary says whether it is sorted.
        if (part.type == CompactType::true_ || part.type == CompactType::false_)
          return in.skip(part.type);
        if (const Encoding levels = EMBD_TRY(encoding_of(in, part)); levels != Encoding::rle)
          header.levels = levels;
        return {};
      default:
        return in.skip(part.type);
    }
  });
}

Result<void> read_data_header_v2(CompactReader& in, ForeignPageHeader& header) {
  return in.for_each_field("page header", [&](Field part) -> Result<void> {
    switch (part.number) {
      case 1:
        header.num_values = EMBD_TRY(size_of(in, part, "number of values"));
        return {};
      case 4:
        header.encoding = EMBD_TRY(encoding_of(in, part));
        return {};
      case 5:
        header.definition_bytes = EMBD_TRY(size_of(in, part, "bytes of levels"));
        return {};
      case 6:
        header.repetition_bytes = EMBD_TRY(size_of(in, part, "bytes of levels"));
        return {};
      case 7:
        header.is_compressed = EMBD_TRY(in.boolean(part, "compression"));
        return {};
      default:
        return in.skip(part.type);
    }
  });
}

}  // namespace

Result<ForeignFooter> parse_foreign_footer(Bytes bytes, std::uint64_t offset) {
  return ForeignFooterReader(bytes, offset).read();
}

Result<ForeignPageHeader> parse_foreign_page_header(Bytes bytes, std::uint64_t offset,
                                                    std::size_t& size) {
  CompactReader in(ByteReader(bytes, offset));
  ForeignPageHeader header;
  bool has_type = false;
  EMBD_TRY(in.for_each_field("page header", [&](Field field) -> Result<void> {
    switch (field.number) {
      case 1: {
        const std::int64_t type = EMBD_TRY(in.integer(field, "page type"));
        has_type = type >= 0 && type <= 3;
        header.type = static_cast<PageType>(type);
        return {};
      }
      case 2:
        header.uncompressed_bytes = EMBD_TRY(size_of(in, field, "uncompressed bytes"));
        return {};
      case 3:
        header.compressed_bytes = EMBD_TRY(size_of(in, field, "compressed bytes"));
        return {};
      case 5:
      case 7:
        EMBD_TRY(in.expect(field.type, CompactType::struct_, "page header"));
        return read_data_header(in, header);
      case 8:
        EMBD_TRY(in.expect(field.type, CompactType::struct_, "page header"));
        return read_data_header_v2(in, header);
      default:
        return in.skip(field.type);
    }
  }));
  if (!has_type)
    return std::unexpected(
        Error(ErrorCode::bad_value, "a page of no known type").at_offset(offset));
  size = in.offset() - offset;
  return header;
}

std::string_view codec_name(Codec codec) noexcept {
  return codec_names[static_cast<std::size_t>(codec)];
}

std::string_view encoding_name(Encoding encoding) noexcept {
  return encoding_names[static_cast<std::size_t>(encoding)];
}

}  // namespace embd::parquet
