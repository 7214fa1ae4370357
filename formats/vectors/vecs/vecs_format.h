#pragma once

#include <array>

#include "formats/vectors/format.h"

namespace embd::vecs {

/// The formats fvecs, ivecs, bvecs and hvecs: rows of f32, i32, u8 and f16. Each row stands after
/// its length, which is checked when the row is read. There is no magic number. A file without rows
/// is refused and cannot be written, because it would not tell the dimension. Formats of integers
/// accept only integers in their range.
extern const std::array<Format, 4> vecs_formats;

/// The formats fbin, u8bin and i8bin: rows of f32, u8 and i8 after the number of rows and the
/// dimension. The size of the file must fit these. A file has at most 2^32 - 1 rows.
extern const std::array<Format, 3> bin_formats;

}  // namespace embd::vecs
