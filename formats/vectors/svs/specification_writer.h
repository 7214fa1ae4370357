#pragma once

#include "embd/vectors.h"
#include "formats/vectors/svs/vamana_writer.h"

// Writers of the specification's layout. Its files are beside each other, not in a directory of
// their own. So each file appears by itself, and the configuration last.

namespace embd::svs {

/// Makes a writer of vectors: `config`, which is STEM.config, STEM.svs-vec1 and, if there are ids,
/// STEM.svs-id. Ids must be numbers.
Result<std::unique_ptr<VectorWriter>> create_specification_vectors(
    const std::filesystem::path& config, std::uint64_t dim, ElementType type,
    const std::optional<Recipe>& recipe);

/// Writes an index: `config`, which is STEM.config, STEM.svs-idx, and its vectors as
/// STEM-vectors.config.
Result<void> write_specification_index(const std::filesystem::path& config,
                                       const VamanaContent& content,
                                       SpecificationDistance distance);

}  // namespace embd::svs
