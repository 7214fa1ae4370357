#include "formats/vectors/parquet/page.h"

#include <algorithm>

#include "base/byte_writer.h"

namespace embd::parquet {
namespace {

/// Appends a run: `count` times one level of one bit.
void append_run(ByteWriter& out, std::uint64_t count, std::uint8_t level) {
  std::uint64_t header = count << 1;
  for (; header >= 0x80; header >>= 7) out.u8(static_cast<std::uint8_t>(header | 0x80));
  out.u8(static_cast<std::uint8_t>(header));
  out.u8(level);
}

void append_levels(ByteWriter& out, const ByteWriter& runs) {
  out.u32(static_cast<std::uint32_t>(runs.size()));
  out.bytes(runs.view());
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

std::vector<std::byte> levels(const Column& column, std::uint64_t num_rows) {
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
  append_run(definition, num_rows * column.dim, 1);
  ByteWriter out;
  append_levels(out, repetition);
  append_levels(out, definition);
  return {out.view().begin(), out.view().end()};
}

void append_streams(Bytes values, std::size_t width, std::vector<std::byte>& out) {
  const std::size_t begin = out.size();
  out.resize(begin + values.size());
  const std::span streams = std::span(out).subspan(begin);
  const std::size_t count = values.size() / width;
  for (std::size_t byte = 0; byte < width; ++byte)
    for (std::size_t i = 0; i < count; ++i) streams[byte * count + i] = values[i * width + byte];
}

std::vector<std::byte> join_streams(Bytes streams, std::size_t width) {
  std::vector<std::byte> values(streams.size());
  const std::size_t count = streams.size() / width;
  for (std::size_t byte = 0; byte < width; ++byte)
    for (std::size_t i = 0; i < count; ++i) values[i * width + byte] = streams[byte * count + i];
  return values;
}

}  // namespace embd::parquet
