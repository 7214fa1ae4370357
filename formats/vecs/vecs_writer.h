#pragma once

#include "embd/vectors.h"

namespace embd::vecs {

/// Both stream. The elements are of `type`: integers take whole numbers in their range only
/// (elements_from_floats). Error of finish(): unsupported for a .…vecs file without rows, bad_count
/// for more rows than a .…bin header can hold.
Result<std::unique_ptr<VectorWriter>> create_vecs(const std::filesystem::path& path,
                                                  std::uint64_t dim, ElementType type);
Result<std::unique_ptr<VectorWriter>> create_bin(const std::filesystem::path& path,
                                                 std::uint64_t dim, ElementType type);

}  // namespace embd::vecs
