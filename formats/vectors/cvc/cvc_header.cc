#include "formats/vectors/cvc/cvc_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

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
    return fail_at(0, ErrorCode::bad_magic, "the file begins with {:?}, expected \"CVCF\"", found);
  }
  EMBD_TRY(reader.skip(magic.size(), "magic"));
  header.major = EMBD_TRY(reader.u16("major version"));
  header.minor = EMBD_TRY(reader.u16("minor version"));
  std::uint64_t length = header.major | header.minor << 16;
  if (is_version(header.major, header.minor)) {
    if (header.major > 2) {
      return fail_at(magic.size(), ErrorCode::unsupported_version,
                     "the version is {}.{}, expected 1.x or 2.x", header.major, header.minor);
    }
    length = EMBD_TRY(reader.u32("header length"));
  } else {
    header.major = header.minor = 0;
  }
  header.json_offset = reader.offset();
  header.json_bytes = length;
  if (length == 0 || length > max_header_bytes || length > reader.remaining()) {
    return fail_at(header.json_offset - 4, ErrorCode::section_out_of_bounds,
                   "the length of the header is {}, expected 1 to {}", length,
                   std::min<std::uint64_t>(max_header_bytes, reader.remaining()));
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
      return fail(ErrorCode::bad_json, "{}: found {}, expected a JSON object",
                  path.empty() ? "header" : path, excerpt(value));
    }
    return Fields(value, std::move(path));
  }

  const Json* find(std::string_view key) const {
    const auto found = object_->find(key);
    return found == object_->end() ? nullptr : &*found;
  }
  Result<const Json*> get(std::string_view key) const {
    if (const Json* value = find(key)) return value;
    return fail(ErrorCode::missing, "the header has no member {}", path_of(key));
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
    return fail(ErrorCode::bad_value, "{}: found {}, expected {}", path_of(key), excerpt(value),
                expected);
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
  const auto encoding = value_named(name, encoding_names);
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
  const auto type = value_named(dtype, dtype_names);
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
                "two columns are named {:?}, expected a different name for each column", *twice);
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
    const auto encoding = value_named(name->get_ref<const std::string&>(), encoding_names);
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
      return fail(ErrorCode::bad_count,
                  "chunks 0 to {} together have more rows than num_vectors, which is {}", i,
                  header.num_rows);
    }
    if (const Json* metadata = fields.find("metadata");
        metadata != nullptr && metadata->is_object())
      chunk.metadata = python_json(*metadata);
    rows += chunk.rows;
    header.chunks.push_back(std::move(chunk));
    EMBD_TRY(parse_slices(fields, header));
  }
  if (rows != header.num_rows) {
    return fail(ErrorCode::bad_count, "the chunks have {} rows together, but num_vectors is {}",
                rows, header.num_rows);
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
      return fail(ErrorCode::bad_count,
                  "sections[{}] contains rows {} to {}, expected rows in the range {} to {}", i,
                  section.first_row, section.end_row, end, header.num_rows);
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
                "the header describes columns, but the version of the file is {}.{}, "
                "expected version 2",
                header.major, header.minor);
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

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', true);
}

/// The members that only an int8 slice has. They are separate functions, because other members
/// stand between them in alphabetical order.
std::string min_member(const Slice& slice) {
  return slice.encoding == Encoding::int8
             ? fmt::format(R"(,"min":{})", python_float(static_cast<double>(slice.min)))
             : "";
}
std::string scale_member(const Slice& slice) {
  return slice.encoding == Encoding::int8
             ? fmt::format(R"(,"scale":{})", python_float(static_cast<double>(slice.scale)))
             : "";
}

std::string column_json(const Column& column) {
  return fmt::format(R"({{"compression":"{}","dimension":{},"dtype":"{}","name":{}}})",
                     name_of(column.encoding, encoding_names), column.dim,
                     name_of(column.type, dtype_names), quoted(column.name));
}

std::string section_json(const Section& section) {
  return fmt::format(R"({{"end_index":{},"metadata":{},"num_vectors":{},"start_index":{}}})",
                     section.end_row, section.metadata, section.end_row - section.first_row,
                     section.first_row);
}

std::string slices_json(const std::vector<Column>& columns, std::span<const Slice> slices) {
  std::vector<std::pair<std::string_view, std::string>> members;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Slice& slice = slices[c];
    members.emplace_back(
        columns[c].name,
        fmt::format(R"({}:{{"compression":"{}"{},"offset":{}{},"size":{}}})",
                    quoted(columns[c].name), name_of(slice.encoding, encoding_names),
                    min_member(slice), slice.offset, scale_member(slice), slice.size));
  }
  std::ranges::sort(members);
  std::string out;
  for (const auto& [name, text] : members) out += (out.empty() ? "" : ",") + text;
  return "{" + out + "}";
}

/// Returns the sections that share rows with a chunk. `section` is the first section that the chunk
/// can overlap; it is moved on for the next chunk.
std::string overlaps_json(const std::vector<Section>& sections, const Chunk& chunk,
                          std::size_t& section) {
  const std::uint64_t first_row = chunk.first_row;
  const std::uint64_t end_row = first_row + chunk.rows;
  while (section < sections.size() && sections[section].end_row <= first_row) ++section;
  std::string out;
  for (std::size_t i = section; i < sections.size() && sections[i].first_row < end_row; ++i) {
    const Section& s = sections[i];
    if (s.end_row <= first_row) continue;
    out += fmt::format(
        R"({}{{"end_in_chunk":{},"metadata":{},"section_end":{},"section_start":{},"start_in_chunk":{}}})",
        out.empty() ? "" : ",", std::min(end_row, s.end_row) - first_row, s.metadata, s.end_row,
        s.first_row, std::max(first_row, s.first_row) - first_row);
  }
  return out;
}

std::string chunk_json(const Header& header, std::size_t i, std::size_t& section) {
  const Chunk& chunk = header.chunks[i];
  const std::string metadata =
      chunk.metadata.empty() ? "" : fmt::format(R"(,"metadata":{})", chunk.metadata);
  const std::string overlaps = overlaps_json(header.sections, chunk, section);
  const std::string sections = overlaps.empty() ? "" : fmt::format(R"(,"sections":[{}])", overlaps);
  if (header.columnar) {
    const std::size_t width = header.columns.size();
    const auto slices = std::span(header.slices).subspan(i * width, width);
    return fmt::format(R"({{"columns":{}{},"rows":{}{}}})", slices_json(header.columns, slices),
                       metadata, chunk.rows, sections);
  }
  const Slice& slice = header.slice(i, 0);
  return fmt::format(
      R"({{"compression":"{}"{}{}{},"rows":{}{}{}}})", name_of(slice.encoding, encoding_names),
      chunk.file_offset ? fmt::format(R"(,"file_offset":{})", *chunk.file_offset) : "", metadata,
      min_member(slice), chunk.rows, scale_member(slice), sections);
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

std::string header_json(const Header& header) {
  std::string out = R"({"chunks":[)";
  std::size_t section = 0;
  for (std::size_t i = 0; i < header.chunks.size(); ++i) {
    if (i > 0) out += ',';
    out += chunk_json(header, i, section);
  }
  out += ']';
  if (header.columnar) {
    std::vector<std::string> columns;
    for (const Column& column : header.columns) columns.push_back(column_json(column));
    out += fmt::format(R"(,"columns":[{}])", fmt::join(columns, ","));
  } else {
    const Column& column = header.columns.front();
    out += fmt::format(R"(,"compression":"{}","dimension":{})",
                       name_of(column.encoding, encoding_names), column.dim);
  }
  if (header.recipe) out += fmt::format(R"(,"{}":{})", recipe_key, recipe_to_json(*header.recipe));
  if (header.columnar) out += R"(,"format_type":"columnar")";
  if (header.mmap_optimized) out += R"(,"mmap_optimized":true)";
  out += fmt::format(R"(,"num_vectors":{})", header.num_rows);
  if (!header.sections.empty()) {
    std::vector<std::string> sections;
    for (const Section& s : header.sections) sections.push_back(section_json(s));
    out += fmt::format(R"(,"sections":[{}])", fmt::join(sections, ","));
  }
  out += '}';
  return out;
}

}  // namespace embd::cvc
