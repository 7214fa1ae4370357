#include "formats/vectors/parquet/file_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "base/byte_reader.h"
#include "base/try.h"
#include "formats/vectors/parquet/compact_protocol.h"

namespace embd::parquet {
namespace {

constexpr std::array codec_names = {"no codec", "Snappy", "gzip",      "LZO",
                                    "Brotli",   "LZ4",    "Zstandard", "raw LZ4"};

/// Returns where the footer of a file begins.
Result<std::uint64_t> find_footer(Bytes file) {
  const auto bad = [](std::uint64_t offset, ErrorCode code, std::string what) {
    return std::unexpected(Error(code, std::move(what)).at_offset(offset));
  };
  if (file.size() < magic.size() + tail_bytes)
    return bad(0, ErrorCode::file_too_short,
               fmt::format("the file has {} bytes, too few for a Parquet file", file.size()));
  if (as_text(file.first(magic.size())) != magic)
    return bad(0, ErrorCode::bad_magic, "the file does not begin with PAR1");
  const std::uint64_t tail = file.size() - tail_bytes;
  if (as_text(file.subspan(tail + 4)) != magic)
    return bad(tail + 4, ErrorCode::bad_magic, "the file does not end with PAR1");
  const std::uint64_t size = load<std::uint32_t>(file.subspan(tail));
  if (size > tail - magic.size())
    return bad(
        tail, ErrorCode::section_out_of_bounds,
        fmt::format("the footer takes {} bytes, but the file has only {}", size, file.size()));
  return tail - size;
}

class MetadataReader {
 public:
  MetadataReader(Bytes bytes, std::uint64_t offset) : in_(ByteReader(bytes, offset)) {}

  Result<FileMetadata> read() {
    EMBD_TRY(in_.for_each_field("footer", [&](Field field) -> Result<void> {
      switch (field.number) {
        case 2:
          return read_list(field, "schema", found_.schema, &MetadataReader::schema_element);
        case 3:
          return read_count(field, "number of rows", found_.num_rows);
        case 4:
          return read_list(field, "row groups", found_.row_groups, &MetadataReader::row_group);
        case 5:
          return read_list(field, "metadata", found_.metadata, &MetadataReader::key_value);
        case 6:
          found_.created_by = EMBD_TRY(in_.binary(field, "writer"));
          return {};
        case 8:
        case 9:
          return refuse("encryption");
        default:
          return in_.skip(field.type);
      }
    }));
    if (in_.remaining() != 0)
      return bad(ErrorCode::trailing_bytes,
                 fmt::format("{} bytes follow the metadata in the footer, expected none",
                             in_.remaining()));
    found_.end = in_.offset();
    EMBD_TRY(check_schema());
    EMBD_TRY(check_groups());
    return std::move(found_);
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
                         Result<T> (MetadataReader::*element)()) {
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
        case 6:
          element.converted = EMBD_TRY(in_.integer(field, "converted type"));
          // The numbers of the types with 8, 16, 32 and 64 bits follow one another.
          element.is_unsigned = element.converted >= std::to_underlying(ConvertedType::uint8) &&
                                element.converted <= std::to_underlying(ConvertedType::uint64);
          return {};
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

  Result<RowGroup> row_group() {
    RowGroup group;
    EMBD_TRY(in_.for_each_field("row group", [&](Field field) -> Result<void> {
      if (field.number == 1)
        return read_list(field, "columns", group.chunks, &MetadataReader::chunk);
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
        case 4: {
          const std::int64_t codec = EMBD_TRY(in_.integer(field, "codec"));
          if (codec < 0 || codec >= std::int64_t{codec_names.size()})
            return bad(ErrorCode::bad_value,
                       fmt::format("the codec is {}, expected 0 to 7", codec));
          chunk.codec = static_cast<Codec>(codec);
          return {};
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
          chunk.has_dictionary = true;
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
  Result<void> check_schema() {
    std::uint64_t wanted = 1;
    for (const SchemaElement& element : found_.schema) {
      if (wanted == 0)
        return bad(ErrorCode::bad_count, "the schema has more elements than its groups say");
      const auto children =
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, element.num_children));
      if (children > found_.schema.size()) break;
      wanted += children - 1;
    }
    if (wanted == 0) return {};
    return bad(ErrorCode::bad_count, "the schema has fewer elements than its groups say");
  }

  /// Checks that each row group has a chunk for each leaf of the schema, and that the rows of the
  /// groups add up to those of the file.
  Result<void> check_groups() const {
    const auto is_leaf = [](const SchemaElement& element) { return element.num_children <= 0; };
    const auto leaves = static_cast<std::size_t>(
        std::ranges::count_if(std::views::drop(found_.schema, 1), is_leaf));
    std::uint64_t rows = 0;
    for (const RowGroup& group : found_.row_groups) {
      if (group.chunks.size() != leaves)
        return bad(ErrorCode::bad_count, fmt::format("a row group has {} columns, expected {}",
                                                     group.chunks.size(), leaves));
      if (group.num_rows > found_.num_rows - rows)
        return bad(ErrorCode::bad_count,
                   fmt::format("the row groups together have more rows than the file, which has {}",
                               found_.num_rows));
      rows += group.num_rows;
    }
    if (rows == found_.num_rows) return {};
    return bad(ErrorCode::bad_count,
               fmt::format("the row groups have {} rows together, but the file has {}", rows,
                           found_.num_rows));
  }

  CompactReader in_;
  FileMetadata found_;
};

}  // namespace

Result<ParquetFile> open_file(const std::filesystem::path& path) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  const Bytes bytes = file.bytes();
  const std::uint64_t data_end = EMBD_TRY(in_file(path, find_footer(bytes)));
  const Bytes footer = bytes.subspan(data_end, bytes.size() - tail_bytes - data_end);
  FileMetadata metadata = EMBD_TRY(in_file(path, MetadataReader(footer, data_end).read()));
  return ParquetFile{std::move(file), data_end, std::move(metadata)};
}

std::string_view codec_name(Codec codec) noexcept {
  return codec_names[static_cast<std::size_t>(codec)];
}

Error foreign(std::string what) {
  return {ErrorCode::unsupported,
          fmt::format("{}, which embd does not read. DuckDB writes it as embd does: "
                      "COPY (SELECT * FROM 'in.parquet') TO 'out.parquet'",
                      what)};
}

}  // namespace embd::parquet
