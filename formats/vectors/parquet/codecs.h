#pragma once

#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// Returns the greatest number of bytes that one byte of a compressed page can expand to; 0 for a
/// codec that decompress_page() does not know.
std::uint64_t most_expansion(Codec codec) noexcept;
/// Decompresses a page to `size` bytes. Fails with compression_failed if the page is damaged, and
/// with unsupported for Zstandard in a build without it.
Result<std::vector<std::byte>> decompress_page(Codec codec, Bytes stored, std::size_t size);
/// Compresses a page with Zstandard. Fails with compression_failed or unsupported.
Result<std::vector<std::byte>> compress_page(Bytes page);

}  // namespace embd::parquet
