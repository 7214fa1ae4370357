#pragma once

#include <array>

#include "formats/vectors/format.h"

namespace embd::vecs {

/// fvecs, ivecs, bvecs, hvecs: rows of f32, i32, u8, f16, each after its length, which is checked
/// when its row is read. Neither has a magic. A file without rows is refused and cannot be written:
/// it would not say its dimension. Files of integers take whole numbers in their range only.
extern const std::array<Format, 4> vecs_formats;

/// fbin, u8bin, i8bin: rows of f32, u8, i8 after the numbers of rows and elements, which the size
/// of the file must fit. At most 2^32 - 1 rows.
extern const std::array<Format, 3> bin_formats;

}  // namespace embd::vecs
