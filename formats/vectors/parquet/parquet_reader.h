#pragma once

#include "embd/vectors.h"

namespace embd::parquet {

/// Opens a Parquet file that embd wrote: maps it and reads its footer and the headers of all pages.
/// Afterwards, only the contents of pages can be wrong. Fails with unsupported for features that
/// files of other programs have and embd's do not.
Result<std::unique_ptr<VectorReader>> open_parquet(const std::filesystem::path& path,
                                                   const ReadOptions& options);

}  // namespace embd::parquet
