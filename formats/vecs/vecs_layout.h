#pragma once

#include <cstddef>
#include <cstdint>

// Two families of raw vector files (docs/formats/vecs.md); both are little-endian, and the type of
// the elements is told by the extension alone.
namespace embd::vecs {

/// .fvecs and its kin (TEXMEX): before each row its number of elements, u32.
inline constexpr std::size_t row_header_bytes = 4;

/// .fbin and its kin (big-ann-benchmarks): u32 rows, u32 elements a row, the rows.
inline constexpr std::size_t bin_header_bytes = 8;

}  // namespace embd::vecs
