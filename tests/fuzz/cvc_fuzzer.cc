// Any bytes as a CVC file: opened, described, every column decoded, everything verified.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "formats/vectors/cvc/cvc_reader.h"
#include "formats/vectors/formats.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/require.h"

namespace {

using namespace embd;
using fuzz::require;

/// A block of rows at a time: what a reader says of its size must be backed by the file's, with
/// lossless at four bits a value the least.
void read_column(const cvc::Reader& reader, std::size_t column, std::size_t file_bytes) {
  const std::uint64_t rows = reader.header().num_rows;
  const std::uint64_t dim = reader.header().columns[column].dim;
  if (rows == 0) return;
  require(rows <= 2 * file_bytes / dim);
  const std::uint64_t block_rows = std::max<std::uint64_t>(1, 65536 / dim);
  std::vector<float> values(block_rows * dim);
  std::vector<std::byte> raw;
  for (std::uint64_t row = 0; row < rows; row += block_rows) {
    const std::uint64_t count = std::min(block_rows, rows - row);
    if (!reader.read(column, row, count, std::span(values).first(count * dim))) return;
    if (!reader.raw_type(column)) continue;
    raw.clear();
    require(reader.read_raw(column, row, count, raw).has_value());
    require(raw.size() == count * dim * cvc::dtype_bytes(*reader.raw_type(column)));
  }
}

/// Checks the parts that convert takes along: sections follow each other inside the rows, columns
/// have the size they say.
void read_parts(const VectorReader& rows) {
  std::uint64_t end = 0;
  for (const RowSection& section : rows.row_sections()->sections()) {
    require(section.rows.first >= end && section.rows.end >= section.rows.first);
    require(nlohmann::json::accept(section.metadata) || section.metadata.front() == '{');
    end = section.rows.end;
  }
  require(end <= rows.info().num_rows);
  end = 0;
  for (const RowSection& chunk : rows.row_sections()->chunks()) {
    require(chunk.rows.first >= end && chunk.rows.end > chunk.rows.first);
    end = chunk.rows.end;
  }
  require(end <= rows.info().num_rows);
  std::vector<std::byte> values;
  for (const NumberColumn& column : rows.table()->columns()) {
    const std::uint64_t count = std::min<std::uint64_t>(rows.info().num_rows, 16);
    if (!rows.table()->read_column(column.name, rows.info().num_rows - count, count, values))
      continue;
    require(values.size() == count * column.dim * cvc::dtype_bytes(column.type));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  const auto reader = cvc::Reader::open(file.path());
  if (!reader) {
    require(!reader.error().message().empty());
    return 0;
  }
  require(nlohmann::json::accept(reader->describe()));
  for (std::size_t c = 0; c < reader->header().columns.size(); ++c) read_column(*reader, c, size);
  (void)reader->verify();
  for (const char* section : {"", "source=wiki", "year=2024"}) {
    ReadOptions options;
    options.section = section;
    options.any_column = true;
    const auto rows = cvc::format.open(file.path(), options);
    if (!rows) continue;
    require((*rows)->info().num_rows <= reader->header().num_rows);
    read_parts(**rows);
  }
  return 0;
}
