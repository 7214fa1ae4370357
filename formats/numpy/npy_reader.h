#pragma once

#include "embd/vectors.h"

namespace embd::numpy {

/// Maps the file and checks that the array fills it exactly.
Result<std::unique_ptr<VectorReader>> open_npy(const std::filesystem::path& path,
                                               const ReadOptions& options);

}  // namespace embd::numpy
