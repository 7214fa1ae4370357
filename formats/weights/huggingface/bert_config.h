#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "embd/error.h"
#include "formats/weights/huggingface/checkpoint.h"
#include "formats/weights/model_spec.h"

namespace embd::huggingface {

/// The sizes that a config.json states. They become numbers only when the weights prove them, so
/// that nothing can be allocated for a number that a file claims.
class StatedSizes {
 public:
  StatedSizes() = default;
  explicit StatedSizes(ModelSpec stated) : stated_(std::move(stated)) {}

  /// Returns a spec with the sizes, the positions and layer_norm_eps; the other fields are not set.
  /// Fails with the errors of Checkpoint::find() unless each tensor of the encoder has the stated
  /// size, and the word table exactly vocab_size rows.
  Result<ModelSpec> proven_by(const Checkpoint& weights) const;

 private:
  ModelSpec stated_;
};

/// The encoder that config.json describes.
struct BertConfig {
  StatedSizes sizes;
  std::string tokenizer_class;  ///< The class of the tokenizer; empty if it is not known.
  /// The padding token, which positions of an XLM-RoBERTa do not count.
  std::optional<std::int32_t> padding;
  /// The first of `architectures`, such as "BertForMaskedLM"; empty if none is named.
  std::string architecture;
  std::string name_or_path;  ///< The model from which this one was made; empty if not stated.

  /// Returns true if the model was saved with a classifier, according to its architecture.
  bool has_classifier() const;
};

/// Reads `folder`/config.json. Fails with unsupported if the model is not a BERT or XLM-RoBERTa
/// encoder with exact GELU and absolute positions; the message names its architecture. Fails with
/// missing, bad_value or bad_json for a bad file.
Result<BertConfig> read_bert_config(const std::filesystem::path& folder);

}  // namespace embd::huggingface
