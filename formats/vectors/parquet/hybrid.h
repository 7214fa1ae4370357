#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd::parquet {

/// Reads `count` numbers of `width` bits, 0 to 32, in Parquet's hybrid encoding of runs and
/// bit-packed groups of eight. Levels and indices into a dictionary have this encoding. Fails with
/// bad_count if the bytes hold fewer numbers.
Result<std::vector<std::uint32_t>> read_hybrid(Bytes bytes, unsigned width, std::size_t count);

/// Returns the number of bits that numbers up to `most` need.
unsigned bits_for(std::uint32_t most) noexcept;

}  // namespace embd::parquet
