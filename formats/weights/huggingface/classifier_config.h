#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/model_types.h"

namespace embd::huggingface {

/// The settings of a cross-encoder's classifier in config.json.
struct ClassifierConfig {
  std::vector<std::string> labels;  ///< The names of the logits, at least one.
  ScoreActivation activation = ScoreActivation::identity;
  std::uint32_t token_types = 2;  ///< The number of rows of the table of token types.
};

/// The facts about a cross-encoder that must be known to read its settings.
struct ClassifierFacts {
  /// The Python path of the activation in the configuration of sentence-transformers, which has
  /// priority; empty if there is none.
  std::string activation;
  std::uint32_t least_token_types = 2;  ///< The number of token types that a pair needs.
  std::uint64_t num_logits = 0;         ///< The number of rows of the classifier's weights.
  /// The number of rows of the table of token types; 0 if the model has no such table.
  std::uint64_t num_token_types = 0;
};

/// Reads `folder`/config.json as CrossEncoder of sentence-transformers 6.2 does. The labels come
/// from id2label, or else from num_labels, or else there are two. The scores are the logits; but if
/// no activation is stated and there is one label, the scores are the sigmoid of the logits. Fails
/// with unsupported for another activation, which the message names, and if the model has fewer
/// token types than a pair; with bad_value if a count differs from the weights, and with bad_value,
/// bad_type or bad_json for a bad file.
Result<ClassifierConfig> read_classifier_config(const std::filesystem::path& folder,
                                                const ClassifierFacts& facts);

}  // namespace embd::huggingface
