#pragma once

#include "embd/vectors.h"

namespace embd::svs {

/// Writes a data directory of the library (`options.svs_layout` empty or "directory"), one lone
/// binary file
/// ("file"), or the seed layout ("seed": STEM.config in place of `path`). Rows are stored as
/// `options.element_type`: f32, f16, and u8 or i8 for rows of whole numbers in that range.
/// `options.quantize` lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8 encodes a directory; its rows wait in a
/// temporary file until the mean of all is known. Only the seed layout has room for ids, which must
/// be numbers.
Result<std::unique_ptr<VectorWriter>> create_svs(const std::filesystem::path& path,
                                                 std::uint64_t dim, const WriteOptions& options);

/// The path by which the vectors that create_svs() writes are opened, and beside which files about
/// them lie: STEM.config in the layout seed, else `path`.
std::filesystem::path svs_output_path(const std::filesystem::path& path,
                                      const WriteOptions& options);

}  // namespace embd::svs
