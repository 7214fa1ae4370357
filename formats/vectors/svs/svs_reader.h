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

}  // namespace embd::svs
