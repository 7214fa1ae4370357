#include "jobs/hub/hub_file.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace embd::hub {
namespace {

constexpr std::array<std::string_view, 10> settings{"modules.json",
                                                    "config_sentence_transformers.json",
                                                    "config.json",
                                                    "tokenizer.json",
                                                    "tokenizer_config.json",
                                                    "vocab.txt",
                                                    "special_tokens_map.json",
                                                    "added_tokens.json",
                                                    "sentence_bert_config.json",
                                                    "model.safetensors.index.json"};

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Returns true for the settings of an encoder or of a module in a folder of its own.
bool is_setting(std::string_view path) {
  const std::string_view name = name_of(path);
  const bool is_of_older_encoder = name.starts_with("sentence_") && name.ends_with("_config.json");
  return std::ranges::find(settings, name) != settings.end() || is_of_older_encoder;
}

/// Returns true for "model.safetensors" and for its shards, "model-00001-of-00002.safetensors".
bool is_weights(std::string_view path) {
  const std::string_view name = name_of(path);
  return name.ends_with(".safetensors") &&
         (name == "model.safetensors" || name.starts_with("model-"));
}

/// Returns true for files of other runtimes, which some repositories keep in folders of their own.
bool is_for_another_runtime(std::string_view path) {
  constexpr std::array<std::string_view, 4> folders{"onnx/", "openvino/", "coreml/", "gguf/"};
  return std::ranges::any_of(folders,
                             [&](std::string_view folder) { return path.starts_with(folder); });
}

}  // namespace

std::vector<HubFile> wanted_files(const HubListing& listing) {
  std::vector<HubFile> wanted;
  std::ranges::copy_if(listing.files, std::back_inserter(wanted), [](const HubFile& file) {
    const bool is_deep = std::ranges::count(file.path, '/') > 1;
    return !is_deep && !is_for_another_runtime(file.path) &&
           (is_setting(file.path) || is_weights(file.path));
  });
  return wanted;
}

}  // namespace embd::hub
