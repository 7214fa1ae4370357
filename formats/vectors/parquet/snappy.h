#pragma once

#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd::parquet {

/// The `size` bytes that a block of Snappy stands for. Error: compression_failed for a block that
/// is damaged or stands for another number of bytes.
Result<std::vector<std::byte>> decompress_snappy(Bytes block, std::size_t size);

}  // namespace embd::parquet
