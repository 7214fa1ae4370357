#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "embd/error.h"
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

}  // namespace embd::huggingface
