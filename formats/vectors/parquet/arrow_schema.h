#pragma once

#include <span>
#include <string>

#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// The columns as an Arrow schema in its file format's encapsulated message, in base64: what
/// Parquet files keep under ARROW:schema, so that vectors come back as lists of a fixed size.
std::string arrow_schema(std::span<const Column> columns);

}  // namespace embd::parquet
