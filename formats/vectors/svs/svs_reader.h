#pragma once

#include "embd/vectors.h"

namespace embd::svs {

/// Opens any SVS form that holds vectors: a data directory, a Vamana index directory (its data and
/// ids), a lone binary file (`options.element_type` says the type; float32 if not given), or a
/// `.config` of the specification's layout. docs/formats/svs.md lists what is refused.
Result<std::unique_ptr<VectorReader>> open_svs(const std::filesystem::path& path,
                                               const ReadOptions& options);

/// Whether `path` is a Vamana index, in the library's layout or the specification's.
bool is_vamana(const std::filesystem::path& path);

}  // namespace embd::svs
