#pragma once

#include "formats/vectors/format.h"

namespace embd::parquet {

/// The format Apache Parquet: ids, texts and numbers are columns, and the vectors are a column of
/// lists.
extern const Format format;

}  // namespace embd::parquet
