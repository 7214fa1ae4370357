#pragma once

#include <filesystem>
#include <memory>

#include "embd/vectors.h"

namespace embd::parquet {

/// Opens a Parquet file that another program wrote. Its vectors are the column of lists of floats
/// that ReadOptions.column names, or the only one, or the one that is called "embedding"; its ids
/// the column "id", its texts the column "text". Errors: those of the footer and the pages;
/// unsupported for a file without such a column; missing for a column that is not there.
Result<std::unique_ptr<VectorReader>> open_foreign_parquet(const std::filesystem::path& path,
                                                           const ReadOptions& options);

}  // namespace embd::parquet
