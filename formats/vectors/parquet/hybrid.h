#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd::parquet {

/// Reads `count` numbers of `width` bits, 0 to 32, that Parquet codes as runs and packed groups of
/// eight: levels, and places in a dictionary. Error: bad_count where the bytes hold fewer.
Result<std::vector<std::uint32_t>> read_hybrid(Bytes bytes, unsigned width, std::size_t count);

/// The bits that numbers up to `most` take.
unsigned bits_for(std::uint32_t most) noexcept;

}  // namespace embd::parquet
