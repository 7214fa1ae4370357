#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

#include "embd/index.h"
#include "embd/index_options.h"
#include "embd/vectors.h"
#include "formats/vectors/format.h"
#include "index/certificate.h"

namespace embd {

/// Returns the rows of an open index as a vector set, in the order of Index::ids(), with the files
/// beside `path`, from which the index was opened.
Result<std::unique_ptr<VectorReader>> index_vectors(std::shared_ptr<const Index> index,
                                                    const std::filesystem::path& path);

/// Makes a writer that collects rows in memory, and at the end builds an index over them and saves
/// it to `path`. Ids must be numbers, or none for row numbers. Errors about rows and ids name
/// `source`, the file from which they come. For rows of bits, the default metric cosine becomes
/// hamming. Fails with invalid_argument or unsupported for options that are impossible for an
/// index. A stop request ends building, so that finish() fails with cancelled.
Result<std::unique_ptr<VectorWriter>> make_index_writer(
    const std::filesystem::path& path, const std::filesystem::path& source, std::uint64_t dim,
    const IndexOptions& options, const std::optional<Recipe>& recipe, std::stop_token stop = {});

/// Makes such a writer that also writes files beside the index: a recipe and ids that are not
/// numbers, if the index has no place for them.
Result<std::unique_ptr<VectorWriter>> create_index(const std::filesystem::path& path,
                                                   const std::filesystem::path& source,
                                                   std::uint64_t dim, const IndexOptions& options,
                                                   const std::optional<Recipe>& recipe,
                                                   std::stop_token stop);

/// Adds a certificate to the recipe file beside an index, which is created if it does not exist. If
/// `path` is a symbolic link, that is the file beside its target. The file is tied to the index, so
/// that another index has no certificate.
Result<void> store_certificate(const Certificate& certificate, IndexKind kind,
                               const std::filesystem::path& path);

/// The format of USearch indexes as vector sets. A writer collects the rows in memory and builds
/// the index at the end, as WriteOptions::index says. The format is defined here and not in
/// formats/vectors/usearch, because building an index needs index/, which itself uses
/// formats/vectors/usearch.
namespace usearch {
extern const Format format;
}

}  // namespace embd
