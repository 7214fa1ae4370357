#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "embd/index_options.h"
#include "embd/vectors.h"

namespace embd {

/// A writer that collects its rows in memory, builds an index of any kind over them at the end and
/// saves it to `path`. Appended ids are numbers, or none for row numbers. Over bits the cosine, the
/// default metric, becomes hamming. Errors: invalid_argument, unsupported for what cannot be an
/// index.
Result<std::unique_ptr<VectorWriter>> make_index_writer(const std::filesystem::path& path,
                                                        std::uint64_t dim,
                                                        const IndexOptions& options,
                                                        const std::optional<Recipe>& recipe);

/// The same with what goes beside an index: a recipe for which it has no room, and ids that are no
/// numbers.
Result<std::unique_ptr<VectorWriter>> create_index(const std::filesystem::path& path,
                                                   std::uint64_t dim, const IndexOptions& options,
                                                   const std::optional<Recipe>& recipe);

}  // namespace embd
