#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "embd/error.h"

namespace embd {

/// Folders that find_model() looks into beside the usual ones.
struct ModelPlaces {
  /// Folders that may hold NAME.weights, looked into after the user's own.
  std::vector<std::filesystem::path> folders = {};
  /// A cache of Hugging Face's tools, instead of the one that SENTENCE_TRANSFORMERS_HOME names.
  std::filesystem::path cache_folder = {};
};

/// Finds a model by its path or its name; nothing is downloaded. A path that exists is the model.
/// A name, such as "all-MiniLM-L6-v2" or "intfloat/e5-small", is looked for in this order:
/// 1. NAME.weights in $XDG_DATA_HOME/embd (~/.local/share/embd), in `places.folders` and in
///    /usr/share/embd; "sentence-transformers/NAME" is NAME there, other organizations have none;
/// 2. the caches of Hugging Face's tools: `places.cache_folder` or $SENTENCE_TRANSFORMERS_HOME, and
///    $HF_HUB_CACHE or $HF_HOME/hub (~/.cache/huggingface/hub). A bare name means
///    sentence-transformers/NAME. The commit of refs/main is taken if its folder is whole.
/// Returns the file or the folder. Thread-safe as long as nobody changes the environment. Error:
/// not_found, which lists the places, also for an empty name.
Result<std::filesystem::path> find_model(const std::string& name, const ModelPlaces& places = {});

}  // namespace embd
