#pragma once

#include <filesystem>
#include <string>

// The cache of Hugging Face's tools, as huggingface_hub lays it out.
namespace embd {

/// Returns a path of the environment, in which a "~" at the start is the user's home; empty if it
/// is not set.
std::filesystem::path path_from_environment(const char* name);

/// Returns the folder that a variable names, or else one below the user's home; empty if there is
/// no home either.
std::filesystem::path folder_of_user(const char* variable, const char* below_home);

/// Returns the folder of Hugging Face's tools: $HF_HOME, or ~/.cache/huggingface.
std::filesystem::path hub_home();
/// Returns the folder of their cache: $HF_HUB_CACHE, or "hub" in hub_home().
std::filesystem::path hub_cache();

/// Returns the name with its organization: "all-MiniLM-L6-v2" is one of sentence-transformers.
std::string full_model_name(const std::string& name);
/// Returns the name of a model's folder in a cache, "models--ORGANIZATION--NAME".
std::string cached_model_folder(const std::string& name);

}  // namespace embd
