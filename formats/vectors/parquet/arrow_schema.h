#pragma once

#include <span>
#include <string>

#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// Returns the columns as an Arrow schema: an encapsulated message of the Arrow file format, in
/// base64. Parquet files keep it under ARROW:schema. It makes Arrow read vectors as lists of a
/// fixed size.
std::string arrow_schema(std::span<const Column> columns);

}  // namespace embd::parquet
