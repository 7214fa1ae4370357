#pragma once

#include "formats/vectors/format.h"

namespace embd::usearch {

/// USearch indexes as vector sets. Writing collects the rows in memory and builds the index at the
/// end, as WriteOptions.index says. The row stands here and not in formats/vectors/usearch, because
/// building an index needs index/, which itself uses formats/vectors/usearch.
extern const Format format;

}  // namespace embd::usearch
