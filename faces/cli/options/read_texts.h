#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "embd/texts.h"

namespace embd::cli {

/// Returns all texts of a file, such as a file of queries. Returns none if `path` is empty. Fails
/// with the errors of reading the file.
Result<std::vector<std::string>> read_texts(const std::string& path, const InputOptions& options,
                                            const std::stop_token& stop);

}  // namespace embd::cli
