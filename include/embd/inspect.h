#pragma once

#include <filesystem>
#include <string>

#include "embd/error.h"
#include "embd/vectors.h"

namespace embd {

/// Returns a description of a vector set, an index, a term index or a weight file as a JSON object,
/// the most important members first. The whole content is checked on the way: checksums, codes,
/// graph, vocabulary and the files beside it. Fails with the first fault found.
Result<std::string> inspect_file(const std::filesystem::path& path,
                                 const ReadOptions& options = {});

/// Returns the header fields and the metadata of a weight file as a JSON object, with the list of
/// its tensors or, if `lists_tensors` is false, their number. A folder of Hugging Face's is
/// described as the weight file that convert_model() would make of it.
Result<std::string> inspect_model(const std::filesystem::path& path, bool lists_tensors = true);

/// Checks everything in a weight file, including the two checksums over the whole file. Fails with
/// the first fault found. Returns true if the file is good and has checksums, false if it is good
/// but has none.
Result<bool> verify_model(const std::filesystem::path& path);

}  // namespace embd
