#pragma once

#include "embd/vectors.h"

namespace embd::numpy {

/// Streams: the number of rows is filled in at finish().
Result<std::unique_ptr<VectorWriter>> create_npy(const std::filesystem::path& path,
                                                 std::uint64_t dim, const WriteOptions& options);

}  // namespace embd::numpy
