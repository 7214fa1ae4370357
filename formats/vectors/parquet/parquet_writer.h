#pragma once

#include "embd/parquet_options.h"
#include "embd/vectors.h"

namespace embd::parquet {

/// Makes a writer of a Parquet file. Pages of vectors are written as rows come. Ids, texts and
/// further columns of a row group stay in memory until it is full.
Result<std::unique_ptr<VectorWriter>> create_parquet(const std::filesystem::path& path,
                                                     std::uint64_t dim,
                                                     const WriteOptions& options);

}  // namespace embd::parquet
