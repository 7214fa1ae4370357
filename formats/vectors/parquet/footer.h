#pragma once

#include <cstddef>
#include <vector>

#include "embd/error.h"
#include "formats/vectors/parquet/file_metadata.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// Returns the bytes of a footer, without its length and the magic.
std::vector<std::byte> format_footer(const Footer& footer);

/// The footer of a file of ours. Errors: bad_value, bad_count for what contradicts itself;
/// unsupported, with the way out, for what Parquet has and files of ours do not.
Result<Footer> own_footer(FileMetadata metadata);

}  // namespace embd::parquet
