#pragma once

#include "embd/index.h"
#include "formats/format.h"

namespace embd::usearch {

/// USearch indexes as vector sets. Writing collects the rows in memory and builds the index at the
/// end, as WriteOptions.index says. It stands here because building needs what formats/ is below.
extern const Format format;

/// The writer behind it, for an index of any kind. Appended ids are numbers, or none for row
/// numbers. Over bits the cosine, the default, becomes hamming.
Result<std::unique_ptr<VectorWriter>> make_index_writer(const std::filesystem::path& path,
                                                        std::uint64_t dim,
                                                        const IndexOptions& options,
                                                        const std::optional<Recipe>& recipe);

}  // namespace embd::usearch
