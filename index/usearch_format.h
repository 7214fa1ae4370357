#pragma once

#include "embd/index.h"
#include "formats/format.h"

namespace embd::usearch {

/// USearch indexes as vector sets. Writing collects the rows in memory and builds the index at the
/// end, with the metric cosine (bits: hamming), connectivity 16 and expansion 128; the element type
/// is WriteOptions.element_type. It stands here because building needs what formats/ is below.
extern const Format format;

/// The writer behind it, for any options. Appended ids are numbers, or none for row numbers.
std::unique_ptr<VectorWriter> make_index_writer(const std::filesystem::path& path,
                                                std::uint64_t dim, const IndexOptions& options);

}  // namespace embd::usearch
