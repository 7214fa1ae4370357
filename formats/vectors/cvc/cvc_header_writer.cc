#include "formats/vectors/cvc/cvc_header_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "formats/recipe_json.h"
#include "formats/vectors/cvc/cvc_json.h"

namespace embd::cvc {
namespace {

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
                     encoding_name(column.encoding), column.dim, dtype_name(column.type),
                     quoted(column.name));
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
                    quoted(columns[c].name), encoding_name(slice.encoding), min_member(slice),
                    slice.offset, scale_member(slice), slice.size));
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
      R"({{"compression":"{}"{}{}{},"rows":{}{}{}}})", encoding_name(slice.encoding),
      chunk.file_offset ? fmt::format(R"(,"file_offset":{})", *chunk.file_offset) : "", metadata,
      min_member(slice), chunk.rows, scale_member(slice), sections);
}

}  // namespace

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
    out += fmt::format(R"(,"compression":"{}","dimension":{})", encoding_name(column.encoding),
                       column.dim);
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
