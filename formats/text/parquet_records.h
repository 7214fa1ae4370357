#pragma once

#include <filesystem>
#include <memory>

#include "embd/texts.h"

namespace embd {

/// Opens the rows of a Parquet file as records. Fields are columns of texts or numbers; the line of
/// a record is the number of its row, from 1. Because rows are not stored one after the other,
/// bytes_read() is an estimate: the size of the file times the share of the rows that were read.
/// Likewise, sha256() within the file is a hash of the file's hash and the number of rows read; at
/// its start and its end it is as for any other file. Fails with the errors of ParquetFile and its
/// columns, and with invalid_argument for standard input and for an encoding, because texts in
/// Parquet are UTF-8.
Result<std::unique_ptr<RecordReader>> open_parquet_records(const std::filesystem::path& path,
                                                           const InputOptions& options);

}  // namespace embd
