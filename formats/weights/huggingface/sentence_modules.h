#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/prompt.h"
#include "embd/recipe.h"

namespace embd::huggingface {

/// The settings that sentence-transformers keeps beside the encoder: which modules follow it, and
/// how texts are prepared for it.
struct SentenceModules {
  std::filesystem::path encoder;  ///< the folder of config.json, weights and vocabulary
  bool are_listed = false;        ///< there is a modules.json
  bool are_cross_encoder = false;
  std::string activation;  ///< of a cross-encoder, as a path in Python; empty: not said
  Pooling pooling = Pooling::mean;
  bool normalize = false;
  std::optional<std::uint32_t> max_seq_length;  ///< if it is stated
  bool lower_case = false;                      ///< texts before the tokenizer sees them
  std::vector<Prompt> prompts;
  std::string default_prompt_name;  ///< empty: none
  std::uint32_t truncate_dim = 0;   ///< components kept, after normalizing; 0: all
  std::string similarity;           ///< "cosine", "dot", …; empty: not said
};

/// Reads modules.json and what it names, as sentence-transformers 6.2 does. A folder without
/// modules.json is a bare encoder with mean pooling whose vectors are not normalized. Errors:
/// unsupported, by name, for every setting that would change vectors and that embd does not have;
/// missing, bad_type, bad_value, bad_json.
Result<SentenceModules> read_sentence_modules(const std::filesystem::path& folder);

}  // namespace embd::huggingface
