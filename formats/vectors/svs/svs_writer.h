#pragma once

#include "embd/vectors.h"

namespace embd::svs {

using Layout = SvsOptions::Layout;

/// Returns the layout of the options; for automatic the specification's layout for a path that ends
/// in .config, otherwise a directory.
Layout layout_of(const std::filesystem::path& path, const WriteOptions& options);
/// Writes a data directory of the library, one lone binary file, or the specification's layout, as
/// layout_of() says, to svs_output_path(). Rows are stored as `options.element_type`: f32, f16, and
/// u8 or i8 for rows of whole numbers in that range. A quantizer encodes a directory; its rows wait
/// in a temporary file until the mean of all is known. Only the specification's layout has room for
/// ids, which must be numbers.
Result<std::unique_ptr<VectorWriter>> create_svs(const std::filesystem::path& path,
                                                 std::uint64_t dim, const WriteOptions& options);

/// The path by which the vectors that create_svs() writes are opened, and beside which files about
/// them lie: STEM.config in the specification's layout, else `path`.
std::filesystem::path svs_output_path(const std::filesystem::path& path,
                                      const WriteOptions& options);

}  // namespace embd::svs
