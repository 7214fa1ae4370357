#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace embd::huggingface {

/// Returns the names that the model in a folder may go by: the name of the folder, that of its
/// repository if it lies in a cache of the hub, and the names in its model card (README.md), such
/// as that of the model from which it was made. They serve for notes only: no vector depends on
/// them.
std::vector<std::string> names_of_folder(const std::filesystem::path& folder);

}  // namespace embd::huggingface
