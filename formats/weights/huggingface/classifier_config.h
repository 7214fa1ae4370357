#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/score_activation.h"

namespace embd::huggingface {

/// The settings of config.json for the classifier behind a cross-encoder's encoder.
struct ClassifierConfig {
  std::vector<std::string> labels;  ///< at least one
  ScoreActivation activation = ScoreActivation::identity;
  std::uint32_t token_types = 2;  ///< rows of the table of token types
};

/// Reads `folder`/config.json as CrossEncoder of sentence-transformers 6.2 does: the labels are
/// those of id2label, or two where it is missing; scores are logits or, where nothing says so and
/// there is one label, their sigmoid. `activation`: the path that sentence-transformers' own
/// configuration names, which comes first; empty: none. `least_token_types`: those that its pairs
/// have. Errors: unsupported for another activation, by its name, and for a model with fewer types;
/// bad_value, bad_type, bad_json.
Result<ClassifierConfig> read_classifier_config(const std::filesystem::path& folder,
                                                const std::string& activation,
                                                std::uint32_t least_token_types);

}  // namespace embd::huggingface
