#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/score_activation.h"

namespace embd::huggingface {

/// The settings of a cross-encoder's classifier in config.json.
struct ClassifierConfig {
  std::vector<std::string> labels;  ///< The names of the logits, at least one.
  ScoreActivation activation = ScoreActivation::identity;
  std::uint32_t token_types = 2;  ///< The number of rows of the table of token types.
};

/// Reads `folder`/config.json as CrossEncoder of sentence-transformers 6.2 does. The labels come
/// from id2label; without id2label, there are two labels. The scores are the logits; but if no
/// activation is stated and there is one label, the scores are the sigmoid of the logits.
/// `activation` is the Python path of the activation in the configuration of sentence-transformers,
/// which has priority; empty if there is none. `least_token_types` is the number of token types
/// that a pair needs. Fails with unsupported for another activation, which the message names, and
/// if the model has fewer token types; with bad_value, bad_type or bad_json for a bad file.
Result<ClassifierConfig> read_classifier_config(const std::filesystem::path& folder,
                                                const std::string& activation,
                                                std::uint32_t least_token_types);

}  // namespace embd::huggingface
