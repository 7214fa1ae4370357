#include "formats/vectors/parquet/page_header.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "base/try.h"
#include "formats/vectors/parquet/compact_protocol.h"
#include "formats/vectors/parquet/file_metadata.h"

namespace embd::parquet {
namespace {

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
Result<void> read_data_header(CompactReader& in, PageHeader& header) {
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

Result<void> read_data_header_v2(CompactReader& in, PageHeader& header) {
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

std::vector<std::byte> format_page_header(const PageHeader& header) {
  CompactWriter out;
  out.i32(1, std::to_underlying(header.type));
  out.i32(2, static_cast<std::int32_t>(header.uncompressed_bytes));
  out.i32(3, static_cast<std::int32_t>(header.compressed_bytes));
  out.i32(4, static_cast<std::int32_t>(header.crc));
  out.begin_struct(5);
  out.i32(1, static_cast<std::int32_t>(header.num_values));
  out.i32(2, std::to_underlying(header.encoding));
  out.i32(3, std::to_underlying(Encoding::rle));  // The encoding of definition levels.
  out.i32(4, std::to_underlying(Encoding::rle));  // The encoding of repetition levels.
  out.end_struct();
  const Bytes bytes = out.finish();
  return {bytes.begin(), bytes.end()};
}

Result<PageHeader> parse_page_header(Bytes bytes, std::uint64_t offset, std::size_t& size) {
  CompactReader in(ByteReader(bytes, offset));
  PageHeader header;
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
      case 4:
        header.crc = static_cast<std::uint32_t>(EMBD_TRY(in.integer(field, "checksum")));
        header.has_crc = true;
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
        Error(ErrorCode::bad_value, "the type of a page is unknown").at_offset(offset));
  size = in.offset() - offset;
  return header;
}

std::string_view encoding_name(Encoding encoding) noexcept {
  return encoding_names[static_cast<std::size_t>(encoding)];
}

}  // namespace embd::parquet
