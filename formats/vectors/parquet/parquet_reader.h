#pragma once

#include "embd/vectors.h"

namespace embd::parquet {

/// Maps the file and reads its footer and the header of every page: afterwards only the insides of
/// pages can be wrong. Errors: unsupported for what other makers' files have and ours have not.
Result<std::unique_ptr<VectorReader>> open_parquet(const std::filesystem::path& path,
                                                   const ReadOptions& options);

}  // namespace embd::parquet
