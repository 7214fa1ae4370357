#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "embd/error.h"

namespace embd {

/// Places in which find_model() looks for a model, besides the usual places.
struct ModelPlaces {
  /// Folders that may contain NAME.weights. They are searched after the user's own folder and
  /// before /usr/share/embd.
  std::vector<std::filesystem::path> folders = {};
  /// The cache of Hugging Face's tools to search, instead of $SENTENCE_TRANSFORMERS_HOME.
  std::filesystem::path cache_folder = {};
};

/// Finds a model by its path or its name, without downloading anything. If a file or folder with
/// this path exists, it is the model. Otherwise a name such as "all-MiniLM-L6-v2" or
/// "intfloat/e5-small" is looked for in these places, in order:
/// 1. As NAME.weights in $XDG_DATA_HOME/embd (default ~/.local/share/embd), in `places.folders` and
///    in /usr/share/embd. For "sentence-transformers/NAME" the file is NAME.weights, too; models of
///    other organizations are not looked for here.
/// 2. In the caches of Hugging Face's tools: `places.cache_folder` or $SENTENCE_TRANSFORMERS_HOME,
///    then $HF_HUB_CACHE or $HF_HOME/hub (default ~/.cache/huggingface/hub). A name without an
///    organization means sentence-transformers/NAME. The commit that refs/main names is used if its
///    folder contains all files of a model.
/// Returns the file or the folder. Fails with not_found, listing the places searched; also for an
/// empty name. Thread-safe as long as no thread changes the environment.
Result<std::filesystem::path> find_model(const std::string& name, const ModelPlaces& places = {});

}  // namespace embd
