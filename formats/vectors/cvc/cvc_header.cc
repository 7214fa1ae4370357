#include "formats/vectors/cvc/cvc_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/byte_reader.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/vectors/cvc/cvc_json.h"

namespace embd::cvc {
namespace {

/// Returns true if the reference reader accepts these numbers as a version. Other values are the
/// header length of a file of version 0, which is in the same four bytes.
bool is_version(unsigned major, unsigned minor) {
  return major >= 1 && major <= 10 && minor <= 100;
}

Result<void> read_head(Bytes file, Header& header) {
  ByteReader reader(file);
  if (!as_text(file).starts_with(magic)) {
    const std::string_view found = as_text(file.first(std::min(file.size(), magic.size())));
    return std::unexpected(Error(ErrorCode::bad_magic,
                                 fmt::format("the file begins with {:?}, expected \"CVCF\"", found))
                               .at_offset(0));
  }
  EMBD_TRY(reader.skip(magic.size(), "magic"));
  header.major = EMBD_TRY(reader.u16("major version"));
  header.minor = EMBD_TRY(reader.u16("minor version"));
  std::uint64_t length = header.major | header.minor << 16;
  if (is_version(header.major, header.minor)) {
    if (header.major > 2) {
      return std::unexpected(Error(ErrorCode::unsupported_version,
                                   fmt::format("the version is {}.{}, expected 1.x or 2.x",
                                               header.major, header.minor))
                                 .at_offset(magic.size()));
    }
    length = EMBD_TRY(reader.u32("header length"));
  } else {
    header.major = header.minor = 0;
  }
  header.json_offset = reader.offset();
  header.json_bytes = length;
  if (length == 0 || length > max_header_bytes || length > reader.remaining()) {
    return std::unexpected(
        Error(ErrorCode::section_out_of_bounds,
              fmt::format("the length of the header is {}, expected 1 to {}", length,
                          std::min<std::uint64_t>(max_header_bytes, reader.remaining())))
            .at_offset(header.json_offset - 4));
  }
  return {};
}

std::string excerpt(const Json& value) {
  std::string text = python_json(value);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

/// A JSON object of the header and its path there, for messages, such as "chunks[3]".
class Fields {
 public:
  static Result<Fields> of(const Json& value, std::string path) {
    if (!value.is_object()) {
      return fail(ErrorCode::bad_json, fmt::format("{}: found {}, expected a JSON object",
                                                   path.empty() ? "header" : path, excerpt(value)));
    }
    return Fields(value, std::move(path));
  }

  const Json* find(std::string_view key) const {
    const auto found = object_->find(key);
    return found == object_->end() ? nullptr : &*found;
  }
  Result<const Json*> get(std::string_view key) const {
    if (const Json* value = find(key)) return value;
    return fail(ErrorCode::missing, fmt::format("the header has no member {}", path_of(key)));
  }
  Result<std::uint64_t> count(std::string_view key) const {
    const Json& value = *EMBD_TRY(get(key));
    if (!value.is_number_unsigned()) return wrong(key, value, "a count");
    return value.get<std::uint64_t>();
  }
  Result<std::uint64_t> dimension(std::string_view key) const {
    const std::uint64_t dim = EMBD_TRY(count(key));
    if (dim == 0 || dim > max_payload_bytes)
      return wrong(key, *find(key), "1 to what a chunk can hold");
    return dim;
  }
  Result<std::string> text(std::string_view key) const {
    const Json& value = *EMBD_TRY(get(key));
    if (!value.is_string()) return wrong(key, value, "a string");
    return value.get<std::string>();
  }
  Result<float> number(std::string_view key) const {
    const Json& value = *EMBD_TRY(get(key));
    const std::optional<double> number = number_of(value);
    if (!number) return wrong(key, value, "a number");
    return static_cast<float>(*number);
  }
  Result<const Json*> array(std::string_view key) const {
    const Json* value = EMBD_TRY(get(key));
    if (!value->is_array()) return wrong(key, *value, "an array");
    return value;
  }
  bool is_true(std::string_view key) const {
    const Json* value = find(key);
    return value != nullptr && *value == true;
  }

  std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }
  std::unexpected<Error> wrong(std::string_view key, const Json& value,
                               std::string_view expected) const {
    return fail(ErrorCode::bad_value,
                fmt::format("{}: found {}, expected {}", path_of(key), excerpt(value), expected));
  }

 private:
  Fields(const Json& object, std::string path) : object_(&object), path_(std::move(path)) {}

  const Json* object_;
  std::string path_;
};

Result<Fields> element(const Json& array, std::string_view name, std::size_t i) {
  return Fields::of(array[i], fmt::format("{}[{}]", name, i));
}

Result<Encoding> encoding_of(const Fields& fields, bool columnar) {
  const std::string name = EMBD_TRY(fields.text("compression"));
  const auto encoding = encoding_named(name);
  const Encoding foreign = columnar ? Encoding::lossless : Encoding::none;
  if (!encoding || encoding == foreign) {
    return fields.wrong("compression", *fields.find("compression"),
                        columnar ? "fp16, int8 or none" : "fp16, int8 or lossless");
  }
  return *encoding;
}

Result<Column> parse_column(const Fields& fields) {
  Column column;
  column.name = EMBD_TRY(fields.text("name"));
  column.dim = EMBD_TRY(fields.dimension("dimension"));
  const std::string dtype = EMBD_TRY(fields.text("dtype"));
  const auto type = dtype_named(dtype);
  if (!type) {
    return fields.wrong("dtype", dtype, "float32, float16, int32, int64, int8 or uint8");
  }
  column.type = *type;
  column.encoding = EMBD_TRY(encoding_of(fields, true));
  return column;
}

Result<void> parse_columns(const Fields& root, Header& header) {
  const Json& columns = *EMBD_TRY(root.array("columns"));
  if (columns.empty()) return root.wrong("columns", columns, "at least one column");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Fields fields = EMBD_TRY(element(columns, "columns", i));
    header.columns.push_back(EMBD_TRY(parse_column(fields)));
  }

  std::vector<std::string_view> names;
  for (const Column& column : header.columns) names.push_back(column.name);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    return fail(ErrorCode::duplicate,
                fmt::format("two columns are named {:?}, expected a different name for each column",
                            *twice));
  return {};
}

Result<void> parse_quantizer(const Fields& fields, Slice& slice) {
  if (slice.encoding != Encoding::int8) return {};
  slice.min = EMBD_TRY(fields.number("min"));
  slice.scale = EMBD_TRY(fields.number("scale"));
  return {};
}

/// Reads a chunk of a file with one column. An unknown encoding name is ignored, as in the
/// reference implementation, where only the memory-mapped loader reads it.
Result<Slice> parse_slice(const Fields& chunk, Encoding otherwise) {
  Slice slice{.encoding = otherwise};
  if (const Json* name = chunk.find("compression"); name != nullptr && name->is_string()) {
    const auto encoding = encoding_named(name->get_ref<const std::string&>());
    if (encoding && encoding != Encoding::none) slice.encoding = *encoding;
  }
  EMBD_TRY(parse_quantizer(chunk, slice));
  return slice;
}

Result<Slice> parse_column_slice(const Fields& fields, Encoding otherwise) {
  Slice slice{.encoding = otherwise};
  if (fields.find("compression") != nullptr) slice.encoding = EMBD_TRY(encoding_of(fields, true));
  slice.offset = EMBD_TRY(fields.count("offset"));
  slice.size = EMBD_TRY(fields.count("size"));
  EMBD_TRY(parse_quantizer(fields, slice));
  return slice;
}

Result<void> parse_slices(const Fields& chunk, Header& header) {
  if (!header.columnar) {
    header.slices.push_back(EMBD_TRY(parse_slice(chunk, header.columns.front().encoding)));
    return {};
  }
  const Json& object = *EMBD_TRY(chunk.get("columns"));
  const Fields columns = EMBD_TRY(Fields::of(object, chunk.path_of("columns")));
  for (const Column& column : header.columns) {
    const Json& slice = *EMBD_TRY(columns.get(column.name));
    const Fields fields = EMBD_TRY(Fields::of(slice, columns.path_of(column.name)));
    header.slices.push_back(EMBD_TRY(parse_column_slice(fields, column.encoding)));
  }
  return {};
}

Result<void> parse_chunks(const Fields& root, Header& header) {
  const Json& chunks = *EMBD_TRY(root.array("chunks"));
  header.mmap_optimized =
      root.is_true("mmap_optimized") ||
      (!chunks.empty() && chunks[0].is_object() && chunks[0].contains("file_offset"));
  header.chunks.reserve(chunks.size());
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Fields fields = EMBD_TRY(element(chunks, "chunks", i));
    Chunk chunk;
    chunk.first_row = rows;
    chunk.rows = EMBD_TRY(fields.count("rows"));
    if (header.mmap_optimized) chunk.file_offset = EMBD_TRY(fields.count("file_offset"));
    if (chunk.rows > header.num_rows - rows) {
      return fail(
          ErrorCode::bad_count,
          fmt::format("chunks 0 to {} together have more rows than num_vectors, which is {}", i,
                      header.num_rows));
    }
    if (const Json* metadata = fields.find("metadata");
        metadata != nullptr && metadata->is_object())
      chunk.metadata = python_json(*metadata);
    rows += chunk.rows;
    header.chunks.push_back(std::move(chunk));
    EMBD_TRY(parse_slices(fields, header));
  }
  if (rows != header.num_rows) {
    return fail(ErrorCode::bad_count,
                fmt::format("the chunks have {} rows together, but num_vectors is {}", rows,
                            header.num_rows));
  }
  return {};
}

/// Reads the list of sections of the file. The lists of the chunks repeat it in parts and are not
/// needed.
Result<void> parse_sections(const Fields& root, Header& header) {
  if (root.find("sections") == nullptr) return {};
  const Json& sections = *EMBD_TRY(root.array("sections"));
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Fields fields = EMBD_TRY(element(sections, "sections", i));
    Section section;
    section.first_row = EMBD_TRY(fields.count("start_index"));
    section.end_row = EMBD_TRY(fields.count("end_index"));
    section.metadata = "{}";
    if (section.first_row < end || section.end_row < section.first_row ||
        section.end_row > header.num_rows) {
      return fail(
          ErrorCode::bad_count,
          fmt::format("sections[{}] contains rows {} to {}, expected rows in the range {} to {}", i,
                      section.first_row, section.end_row, end, header.num_rows));
    }
    if (const Json* metadata = fields.find("metadata")) {
      if (!metadata->is_object()) return fields.wrong("metadata", *metadata, "an object");
      section.metadata = python_json(*metadata);
    }
    end = section.end_row;
    header.sections.push_back(std::move(section));
  }
  return {};
}

Result<void> parse_fields(const Fields& root, Header& header) {
  const Json* format_type = root.find("format_type");
  header.columnar = format_type != nullptr && *format_type == "columnar";
  if (header.columnar && header.major < 2) {
    return fail(ErrorCode::unsupported_version,
                fmt::format("the header describes columns, but the version of the file is {}.{}, "
                            "expected version 2",
                            header.major, header.minor));
  }
  header.num_rows = EMBD_TRY(root.count("num_vectors"));
  if (header.columnar) {
    EMBD_TRY(parse_columns(root, header));
  } else {
    Column column;
    column.dim = EMBD_TRY(root.dimension("dimension"));
    column.encoding = EMBD_TRY(encoding_of(root, false));
    header.columns.push_back(column);
  }
  if (const Json* recipe = root.find(recipe_key))
    header.recipe = EMBD_TRY(recipe_of_members(*recipe));
  EMBD_TRY(parse_chunks(root, header));
  return parse_sections(root, header);
}

}  // namespace

Result<Header> parse_header(Bytes file) {
  Header header;
  EMBD_TRY(read_head(file, header));
  const Json json = EMBD_TRY(parse_json(header.json(file), header.json_offset));
  const auto root = Fields::of(json, "");
  const Result<void> parsed = root ? parse_fields(*root, header) : std::unexpected(root.error());
  if (!parsed) return std::unexpected(Error(parsed.error()).at_offset(header.json_offset));
  return header;
}

}  // namespace embd::cvc
