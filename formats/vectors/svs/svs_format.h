#pragma once

#include "embd/vectors.h"

namespace embd::svs {

/// Opens any kind of SVS files that hold vectors: a data directory, a directory of a Vamana index
/// (its data and ids), a single binary file, or a `.config` of the specification's layout. For a
/// single binary file, `options.element_type` says the type; the default is float32.
/// docs/formats/svs.md lists what is refused.
Result<std::unique_ptr<VectorReader>> open_svs(const std::filesystem::path& path,
                                               const ReadOptions& options);

/// Returns true if `path` is a Vamana index, in the layout of the SVS library or of the
/// specification.
bool is_vamana(const std::filesystem::path& path);

using Layout = SvsOptions::Layout;

/// Returns the layout that the options ask for. The layout automatic means the specification's
/// layout for a path that ends in .config, otherwise a directory.
Layout layout_of(const std::filesystem::path& path, const WriteOptions& options);
/// Makes a writer of vectors to svs_output_path(), in the layout of layout_of(): a data directory
/// of the SVS library, a single binary file, or the specification's layout. Rows are stored as
/// `options.element_type`: f32, f16, or u8 and i8 for rows of integers in their range. A quantizer
/// needs a directory; its rows wait in a temporary file until the mean of all rows is known. Only
/// the specification's layout can store ids, which must be numbers.
Result<std::unique_ptr<VectorWriter>> create_svs(const std::filesystem::path& path,
                                                 std::uint64_t dim, const WriteOptions& options);

/// Returns the path under which the vectors are opened after create_svs() wrote them: STEM.config
/// in the specification's layout, otherwise `path`. Files about the vectors are beside it.
std::filesystem::path svs_output_path(const std::filesystem::path& path,
                                      const WriteOptions& options);

}  // namespace embd::svs
