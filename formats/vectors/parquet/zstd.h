#pragma once

#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd::parquet {

/// Compress and decompress a page with Zstandard. `size` is the size of the decompressed page; the
/// caller has checked that it fits what the page must hold. Fails with compression_failed.
Result<std::vector<std::byte>> compress(Bytes page);
Result<std::vector<std::byte>> decompress(Bytes stored, std::size_t size);

}  // namespace embd::parquet
