#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/model_types.h"
#include "embd/recipe.h"
#include "embd/vector_module.h"

namespace embd::huggingface {

/// A vector module, and the folder with its settings and weights.
struct ModuleFolder {
  VectorModule module;  ///< The sizes are those that the settings state.
  std::filesystem::path folder;
};

/// The settings that sentence-transformers stores beside the encoder: the modules that follow it,
/// and how texts are prepared.
struct SentenceModules {
  std::filesystem::path encoder;  ///< The folder with config.json, the weights and the vocabulary.
  bool are_listed = false;        ///< True if there is a modules.json.
  bool are_cross_encoder = false;
  bool are_static = false;  ///< True if the encoder is a table of rows, a StaticEmbedding.
  /// The activation of a cross-encoder as a Python path; empty if it is not stated.
  std::string activation;
  /// The poolings whose results are joined, at least one.
  std::vector<Pooling> poolings = {Pooling::mean};
  std::vector<ModuleFolder> modules;            ///< The modules between Pooling and `normalize`.
  bool normalize = false;                       ///< True if the last module is Normalize.
  std::optional<std::uint32_t> max_seq_length;  ///< The greatest number of tokens, if it is stated.
  bool lower_case = false;  ///< True if texts are lower-cased before the tokenizer reads them.
  std::vector<Prompt> prompts;
  std::string default_prompt_name;  ///< The name of the default prompt; empty if there is none.
  /// The number of components that are kept after normalizing; 0 keeps all.
  std::uint32_t truncate_dim = 0;
  /// The similarity, such as "cosine" or "dot"; empty if it is not stated.
  std::string similarity;
};

/// Reads modules.json and the files that it names, as sentence-transformers 6.2 does. A folder
/// without modules.json is a bare encoder with mean pooling, whose vectors are not normalized.
/// Fails with unsupported for every setting that changes vectors and that embd does not have; the
/// message names it. Fails with missing, bad_type, bad_value or bad_json for a bad file.
Result<SentenceModules> read_sentence_modules(const std::filesystem::path& folder);

}  // namespace embd::huggingface
