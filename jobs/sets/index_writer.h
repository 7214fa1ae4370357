#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "embd/index_options.h"
#include "embd/vectors.h"
#include "index/certificate.h"

namespace embd {

/// Makes a writer that collects rows in memory, and at the end builds an index over them and saves
/// it to `path`. Ids must be numbers, or none for row numbers. For rows of bits, the default metric
/// cosine becomes hamming. Fails with invalid_argument or unsupported for options that are
/// impossible for an index.
Result<std::unique_ptr<VectorWriter>> make_index_writer(const std::filesystem::path& path,
                                                        std::uint64_t dim,
                                                        const IndexOptions& options,
                                                        const std::optional<Recipe>& recipe);

/// Makes such a writer that also writes files beside the index: a recipe and ids that are not
/// numbers, if the index has no place for them.
Result<std::unique_ptr<VectorWriter>> create_index(const std::filesystem::path& path,
                                                   std::uint64_t dim, const IndexOptions& options,
                                                   const std::optional<Recipe>& recipe);

/// Adds a certificate to the recipe file beside an index, which is created if it does not exist. If
/// `path` is a symbolic link, that is the file beside its target. The file is tied to the index, so
/// that another index has no certificate.
Result<void> store_certificate(const Certificate& certificate, IndexKind kind,
                               const std::filesystem::path& path);

}  // namespace embd
