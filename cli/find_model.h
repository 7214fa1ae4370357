#pragma once

#include <filesystem>
#include <string>

#include "embd/error.h"

namespace embd::cli {

/// Finds the model that `given` (--model or EMBD_MODEL) names, a path or a name as in
/// embd/find_model.h; empty: all-MiniLM-L6-v2. The folder of models that this program was built
/// with is looked into, too. Error: not_found, naming the places.
Result<std::filesystem::path> find_model(const std::string& given);

}  // namespace embd::cli
