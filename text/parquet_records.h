#pragma once

#include <filesystem>
#include <memory>

#include "embd/texts.h"

namespace embd {

/// Opens the rows of a Parquet file as records: fields are columns of texts or numbers, and a
/// record's line is its row, from 1. A record ends at the share of the file's bytes that the rows
/// up to it are of all rows; the hash there, but at the start and at the end of the file, is that
/// of the file's hash and the number of the rows. Errors: those of ForeignTable and of its columns;
/// invalid_argument for standard input and for an encoding, as Parquet's texts are UTF-8.
Result<std::unique_ptr<RecordReader>> open_parquet_records(const std::filesystem::path& path,
                                                           const InputOptions& options);

}  // namespace embd
