#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "embd/error.h"
#include "formats/weights/model_spec.h"

namespace embd::huggingface {

/// The encoder that config.json describes.
struct BertConfig {
  /// The spec with the sizes, the positions and layer_norm_eps; the other fields are not set.
  ModelSpec sizes;
  std::string tokenizer_class;  ///< The class of the tokenizer; empty if it is not known.
  /// The padding token, which positions of an XLM-RoBERTa do not count.
  std::optional<std::int32_t> padding;
  /// True if the model was saved with a classifier, according to the first of `architectures`.
  bool has_classifier = false;
};

/// Reads `folder`/config.json. Fails with unsupported if the model is not a BERT or XLM-RoBERTa
/// encoder with exact GELU and absolute positions; the message names its architecture. Fails with
/// missing, bad_value or bad_json for a bad file.
Result<BertConfig> read_bert_config(const std::filesystem::path& folder);

}  // namespace embd::huggingface
