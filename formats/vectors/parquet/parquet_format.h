#pragma once

#include "formats/vectors/format.h"

namespace embd::parquet {

/// Apache Parquet: ids, texts and numbers as columns, vectors as a column of lists. Written whole;
/// read only as written here.
extern const Format format;

}  // namespace embd::parquet
