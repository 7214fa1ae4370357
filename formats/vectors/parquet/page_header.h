#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// The header of a page of any kind. Files that embd wrote have only data pages of version 1.
struct PageHeader {
  PageType type = PageType::data;
  std::uint32_t uncompressed_bytes = 0;
  std::uint32_t compressed_bytes = 0;
  std::uint32_t num_values = 0;
  Encoding encoding = Encoding::plain;
  Encoding levels = Encoding::rle;
  std::uint32_t crc = 0;  ///< The CRC-32 of the page as stored.
  bool has_crc = false;
  // Only for pages of version 2, in which the levels stand before the compressed part.
  std::uint32_t repetition_bytes = 0;
  std::uint32_t definition_bytes = 0;
  bool is_compressed = true;
};

/// Returns the bytes of the header of a data page of version 1.
std::vector<std::byte> format_page_header(const PageHeader& header);

/// Reads the page header at the beginning of `bytes`, which are at `offset` of their file, and sets
/// `size` to its length. Fails with the errors of CompactReader, with bad_value, and with
/// unsupported for an unknown encoding.
Result<PageHeader> parse_page_header(Bytes bytes, std::uint64_t offset, std::size_t& size);

/// Returns the name of an encoding for messages, such as "a dictionary".
std::string_view encoding_name(Encoding encoding) noexcept;

}  // namespace embd::parquet
