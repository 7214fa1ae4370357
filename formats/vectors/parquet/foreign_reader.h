#pragma once

#include <memory>

#include "embd/vectors.h"
#include "formats/vectors/parquet/file_metadata.h"

namespace embd::parquet {

/// Reads an open Parquet file that another program wrote. Its vectors are a column of lists of
/// floats: the one that ReadOptions::column names, otherwise the only one, otherwise the one called
/// "embedding". Its ids are the column "id", its texts the column "text". Fails with the errors of
/// the footer and the pages, with unsupported if the file has no such column, and with missing if
/// the named column does not exist.
Result<std::unique_ptr<VectorReader>> open_foreign_parquet(ParquetFile file,
                                                           const ReadOptions& options);

}  // namespace embd::parquet
