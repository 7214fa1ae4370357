#pragma once

#include "embd/vectors.h"
#include "formats/vectors/svs/vamana_writer.h"

// The files of the specification's layout lie beside each other, so each appears by itself, the
// configuration last.

namespace embd::svs {

/// Vectors: `config` = STEM.config, STEM.svs-vec1, and STEM.svs-id if there are ids, which must be
/// numbers.
Result<std::unique_ptr<VectorWriter>> create_specification_vectors(
    const std::filesystem::path& config, std::uint64_t dim, ElementType type,
    const std::optional<Recipe>& recipe);

/// An index: `config` = STEM.config, STEM.svs-idx, and its vectors as STEM-vectors.config.
Result<void> write_specification_index(const std::filesystem::path& config,
                                       const VamanaContent& content,
                                       SpecificationDistance distance);

}  // namespace embd::svs
