#pragma once

#include <filesystem>
#include <string>

#include "embd/error.h"

namespace embd::cli {

/// The model file to use: `given` (--model or EMBD_MODEL) if it is not empty; else
/// all-MiniLM-L6-v2.weights in the user's data folder ($XDG_DATA_HOME/embd, ~/.local/share/embd)
/// or in the tree this program was built in. Error: not_found, naming the places.
Result<std::filesystem::path> find_model(const std::string& given);

}  // namespace embd::cli
