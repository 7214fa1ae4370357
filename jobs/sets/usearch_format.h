#pragma once

#include "formats/vectors/format.h"

namespace embd::usearch {

/// The format of USearch indexes as vector sets. A writer collects the rows in memory and builds
/// the index at the end, as WriteOptions::index says. The format is defined here and not in
/// formats/vectors/usearch, because building an index needs index/, which itself uses
/// formats/vectors/usearch.
extern const Format format;

}  // namespace embd::usearch
