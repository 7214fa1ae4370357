#include "formats/vectors/parquet/parquet_table.h"

#include <fmt/format.h>

#include <limits>

#include "base/byte_writer.h"
#include "base/checksum.h"
#include "base/try.h"
#include "formats/vectors/parquet/footer.h"
#include "formats/vectors/parquet/page_header.h"

namespace embd::parquet {

Result<ParquetTable> ParquetTable::create(OutputFile out, std::vector<Column> columns) {
  ParquetTable table(std::move(out));
  table.footer_.columns = std::move(columns);
  EMBD_TRY(table.out_.write(as_bytes(magic)));
  return table;
}

Result<void> ParquetTable::append(std::uint64_t num_rows, std::span<const PlainValues> values) {
  RowGroup group = {.num_rows = num_rows};
  for (const PlainValues& page : values) {
    if (page.size() > std::numeric_limits<std::int32_t>::max())
      return fail(ErrorCode::unsupported,
                  "a page claims to have more than 2 GB, the most that Parquet allows");
    const auto size = static_cast<std::uint32_t>(page.size());
    const std::vector<std::byte> header =
        format_page_header({.uncompressed_bytes = size,
                            .compressed_bytes = size,
                            .num_values = static_cast<std::uint32_t>(num_rows),
                            .crc = crc32(page)});
    group.chunks.push_back({.offset = out_.size(),
                            .bytes = header.size() + page.size(),
                            .uncompressed_bytes = header.size() + page.size(),
                            .num_values = num_rows});
    EMBD_TRY(out_.write(header));
    EMBD_TRY(out_.write(page));
  }
  footer_.num_rows += num_rows;
  footer_.row_groups.push_back(std::move(group));
  return {};
}

Result<void> ParquetTable::prepare() {
  const std::vector<std::byte> footer = format_footer(footer_);
  ByteWriter tail;
  tail.bytes(footer);
  tail.u32(static_cast<std::uint32_t>(footer.size()));
  tail.text(magic);
  EMBD_TRY(out_.write(tail.view()));
  return out_.prepare();
}

}  // namespace embd::parquet
