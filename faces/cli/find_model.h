#pragma once

#include <filesystem>
#include <string>

#include "embd/error.h"

namespace embd::cli {

/// Returns the path of the model that the user asks for with --model or EMBD_MODEL: a path, or a
/// name as in embd/find_model.h. An empty string stands for all-MiniLM-L6-v2. The folder of models
/// with which this program was built is searched, too. Fails with not_found, naming the places that
/// were searched.
Result<std::filesystem::path> find_model(const std::string& given);

}  // namespace embd::cli
