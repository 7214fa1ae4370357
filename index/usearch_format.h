#pragma once

#include "formats/format.h"

namespace embd::usearch {

/// USearch indexes as vector sets. Writing collects the rows in memory and builds the index at the
/// end, with the metric cosine (bits: hamming), connectivity 16 and expansion 128; the element type
/// is WriteOptions.element_type. It stands here because building needs what formats/ is below.
extern const Format format;

}  // namespace embd::usearch
