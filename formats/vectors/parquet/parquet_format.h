#pragma once

#include "formats/vectors/format.h"

namespace embd::parquet {

/// The format Apache Parquet: ids, texts and numbers are columns, and the vectors are a column of
/// lists.
extern const Format format;

/// Opens a Parquet file that any program wrote: maps it, and reads its footer and the headers of
/// the pages of all columns that belong to the vectors. Afterwards, only the contents of pages can
/// be wrong. The vectors are a column of lists of floats: the one that ReadOptions::column names,
/// otherwise the only one, otherwise the one called "embedding"; or two columns of scores. The ids
/// are the column "id", the texts the column "text". Fails with unsupported if the file has no such
/// vectors, with missing if the named column does not exist, with bad_type if the ids cannot be
/// ids, and with the errors of ParquetFile and ColumnReader.
Result<std::unique_ptr<VectorReader>> open_parquet(const std::filesystem::path& path,
                                                   const ReadOptions& options);

/// Makes a writer of a Parquet file. Pages of vectors are written as rows come. Ids, texts and
/// further columns of a row group stay in memory until it is full.
Result<std::unique_ptr<VectorWriter>> create_parquet(const std::filesystem::path& path,
                                                     std::uint64_t dim,
                                                     const WriteOptions& options);

}  // namespace embd::parquet
