#pragma once

#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd::parquet {

/// Decompresses a block of Snappy to `size` bytes. Fails with compression_failed if the block is
/// damaged or has another size.
Result<std::vector<std::byte>> decompress_snappy(Bytes block, std::size_t size);

}  // namespace embd::parquet
