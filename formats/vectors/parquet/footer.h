#pragma once

#include <cstddef>
#include <vector>

#include "embd/error.h"
#include "formats/vectors/parquet/file_metadata.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// Returns the bytes of a footer, without its length and the magic.
std::vector<std::byte> format_footer(const Footer& footer);

/// Makes the footer of a file that embd wrote from the metadata of the file. Fails with bad_value
/// or bad_count if the metadata contradict themselves, and with unsupported for features of Parquet
/// that embd's files do not have; the message says what to do instead.
Result<Footer> own_footer(const FileMetadata& metadata);

}  // namespace embd::parquet
