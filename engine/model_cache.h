#pragma once

#include <filesystem>
#include <string>

// The cache of Hugging Face's tools, as huggingface_hub lays it out.
namespace embd {

/// Returns the user's home; empty if the environment does not tell it.
std::filesystem::path home_folder();

/// Returns the path that an environment variable holds, where "~" at its beginning stands for the
/// user's home; empty if the variable is not set.
std::filesystem::path path_from_environment(const char* name);

/// Returns the folder that an environment variable names; if it is not set, a folder below the
/// user's home; empty if there is no home either.
std::filesystem::path folder_of_user(const char* variable, const char* below_home);

/// Returns the folder of Hugging Face's tools: $HF_HOME, default ~/.cache/huggingface.
std::filesystem::path hub_home();
/// Returns the cache folder of Hugging Face's tools: $HF_HUB_CACHE, default "hub" in hub_home().
std::filesystem::path hub_cache();

/// Returns a model's name with its organization. A name without one, such as "all-MiniLM-L6-v2",
/// belongs to sentence-transformers.
std::string full_model_name(const std::string& name);
/// Returns the name of a model's folder in a cache: "models--ORGANIZATION--NAME".
std::string cached_model_folder(const std::string& name);

}  // namespace embd
