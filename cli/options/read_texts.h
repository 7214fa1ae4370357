#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "embd/texts.h"

namespace embd::cli {

/// The texts of a file, such as one of queries; none for no file. Errors: those of reading it.
Result<std::vector<std::string>> read_texts(const std::string& path, const InputOptions& options,
                                            const std::stop_token& stop);

}  // namespace embd::cli
