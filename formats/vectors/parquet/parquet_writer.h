#pragma once

#include "embd/parquet_options.h"
#include "embd/vectors.h"

namespace embd::parquet {

/// Writes pages as rows come; ids, texts and columns of a row group stay in memory until it is
/// full.
Result<std::unique_ptr<VectorWriter>> create_parquet(const std::filesystem::path& path,
                                                     std::uint64_t dim,
                                                     const WriteOptions& options);

}  // namespace embd::parquet
