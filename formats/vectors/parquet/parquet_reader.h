#pragma once

#include "embd/vectors.h"

namespace embd::parquet {

/// Opens a Parquet file. If embd wrote it, opening maps it and reads its footer and the headers of
/// all pages; afterwards, only the contents of pages can be wrong. A file of another program, and
/// any file if ReadOptions::column is set, is opened by open_foreign_parquet().
Result<std::unique_ptr<VectorReader>> open_parquet(const std::filesystem::path& path,
                                                   const ReadOptions& options);

}  // namespace embd::parquet
