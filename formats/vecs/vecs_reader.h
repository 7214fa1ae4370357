#pragma once

#include "embd/vectors.h"

namespace embd::vecs {

/// A file of equal rows each after its length. The lengths are checked when their rows are read.
Result<std::unique_ptr<VectorReader>> open_vecs(const std::filesystem::path& path,
                                                std::string_view format, ElementType type);

/// A file whose header holds the numbers of rows and elements; its size must be just what they say.
Result<std::unique_ptr<VectorReader>> open_bin(const std::filesystem::path& path,
                                               std::string_view format, ElementType type);

}  // namespace embd::vecs
