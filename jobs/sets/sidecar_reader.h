// Private to jobs/sets
#pragma once

#include <filesystem>
#include <memory>

#include "embd/vectors.h"

namespace embd {

/// Adds the ids, the ranges and the recipe in the files beside `path` to `reader`, if there are
/// such files and the vectors have none themselves. A recipe in the vectors gets the hash of the
/// input from the recipe beside them. The files are opened here and read when they are needed.
/// Fails with checksum_mismatch if the files belong to other vectors; reading them fails with
/// bad_json, bad_type, bad_count or checksum_mismatch.
Result<std::unique_ptr<VectorReader>> with_sidecar(std::unique_ptr<VectorReader> reader,
                                                   const std::filesystem::path& path);

}  // namespace embd
