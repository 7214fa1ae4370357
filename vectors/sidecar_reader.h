#pragma once

#include <filesystem>
#include <memory>

#include "embd/vectors.h"

namespace embd {

/// `reader` with the ids, the ranges and the recipe of the files beside `path`, where there are
/// such files and it has none itself; a recipe inside gets the input's hash from the one beside.
/// The files are opened here and read when asked for. Errors: checksum_mismatch if the files were
/// written for other vectors; when asked for bad_json, bad_type, bad_count, checksum_mismatch.
Result<std::unique_ptr<VectorReader>> with_sidecar(std::unique_ptr<VectorReader> reader,
                                                   const std::filesystem::path& path);

}  // namespace embd
