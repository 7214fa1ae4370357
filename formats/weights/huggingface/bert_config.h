#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "embd/error.h"
#include "embd/model_types.h"
#include "formats/weights/huggingface/checkpoint.h"
#include "formats/weights/huggingface/json_file.h"
#include "formats/weights/model_spec.h"
#include "formats/weights/model_tensors.h"

namespace embd::huggingface {

/// The sizes that a config.json states. They become numbers only when the weights prove them, so
/// that nothing can be allocated for a number that a file claims.
class StatedSizes {
 public:
  StatedSizes() = default;
  explicit StatedSizes(ModelSpec stated) : stated_(std::move(stated)) {}

  /// Returns a spec with the architecture, the sizes, the positions, layer_norm_eps and
  /// the settings of a classifier's steps; the other fields are not set.
  /// Fails with the errors of Checkpoint::find() unless each tensor of the encoder has the stated
  /// size, and the word table exactly vocab_size rows.
  Result<ModelSpec> proven_by(const Checkpoint& weights) const;

 private:
  ModelSpec stated_;
};

/// The encoder that config.json describes.
struct BertConfig {
  StatedSizes sizes;
  Family family = Family::bert;
  std::string tokenizer_class;  ///< The class of the tokenizer; empty if it is not known.
  /// True if the tokenizer is that of tokenizer.json, whatever class the folder names.
  bool takes_tokenizer_file = false;
  /// The padding token, if positions do not count it.
  std::optional<std::int32_t> padding;
  /// The first of `architectures`, such as "BertForMaskedLM"; empty if none is named.
  std::string architecture;
  bool has_classifier = false;  ///< True if the architecture has a classifier.
  std::string name_or_path;     ///< The model from which this one was made; empty if not stated.
};

/// Reads `folder`/config.json. Fails with unsupported if the model is not a BERT, XLM-RoBERTa,
/// RoBERTa, CamemBERT, MPNet or DistilBERT encoder with exact GELU and absolute positions, or a
/// NomicBERT, GTE, ModernBERT, Qwen3 or Gemma 3 encoder with the usual rotation; the message names
/// its architecture. Fails with missing, bad_value or bad_json for a bad file.
Result<BertConfig> read_bert_config(const std::filesystem::path& folder);

/// Reads the settings of config.json that only families have whose layers rotate queries and keys:
/// NomicBERT, GTE, ModernBERT, Qwen3 and Gemma 3. They become the architecture and the token types
/// of `sizes`, which has the other sizes already. Does nothing for other families. Fails with
/// unsupported for a setting that changes how layers compute, and with bad_value or bad_type; the
/// message names the key.
Result<void> read_rotating(const JsonFile& file, Family family, ModelSpec& sizes);

/// Reads the settings of ModernBERT's classifier into `sizes`. Fails as read_rotating() does.
Result<void> read_modernbert_head(const JsonFile& file, ModelSpec& sizes);

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
