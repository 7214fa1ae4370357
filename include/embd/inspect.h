#pragma once

#include <filesystem>
#include <string>

#include "embd/error.h"
#include "embd/vectors.h"

namespace embd {

/// Describes a vector set, an index or a weight file as a JSON object whose first members matter
/// most. Checks all of it: checksums, codes, graph, vocabulary, the files beside it.
Result<std::string> inspect_file(const std::filesystem::path& path,
                                 const ReadOptions& options = {});

/// Returns header fields, metadata and tensors of a weight file as a JSON object. A folder of
/// Hugging Face's is described as the weight file that it would become.
Result<std::string> inspect_model(const std::filesystem::path& path);

/// Checks everything in a weight file, the two checksums over the whole of it included. False if
/// it is good but has no checksums.
Result<bool> verify_model(const std::filesystem::path& path);

}  // namespace embd
