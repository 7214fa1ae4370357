#pragma once

#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// True of the codecs whose pages decompress_page() reads: none, Snappy, gzip and Zstandard.
bool is_readable(Codec codec) noexcept;
/// Bytes that a byte of such a page may stand for, at most.
std::uint64_t most_expansion(Codec codec) noexcept;
/// The `size` bytes of a page that was compressed. Errors: compression_failed; unsupported for
/// Zstandard in a build without it.
Result<std::vector<std::byte>> decompress_page(Codec codec, Bytes stored, std::size_t size);

}  // namespace embd::parquet
