#pragma once

#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd::parquet {

/// A page as Zstandard compresses it, and back. `size`: of the page before that, which was compared
/// with what the page must hold. Error: compression_failed.
Result<std::vector<std::byte>> compress(Bytes page);
Result<std::vector<std::byte>> decompress(Bytes stored, std::size_t size);

}  // namespace embd::parquet
