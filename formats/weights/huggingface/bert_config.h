#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "embd/error.h"
#include "formats/weights/model_spec.h"

namespace embd::huggingface {

/// The encoder as config.json describes it.
struct BertConfig {
  ModelSpec sizes;              ///< sizes, positions and layer_norm_eps; the rest is not there
  std::string tokenizer_class;  ///< that of the tokenizer; empty: not known
  /// The token that the positions of an XLM-RoBERTa do not count.
  std::optional<std::int32_t> padding;
  /// It was saved with a classifier behind it: the first of `architectures` says so.
  bool has_classifier = false;
};

/// Reads `folder`/config.json. Errors: unsupported for what is not a BERT or XLM-RoBERTa encoder
/// with the exact GELU and absolute positions, by the name of its architecture; missing, bad_value,
/// bad_json.
Result<BertConfig> read_bert_config(const std::filesystem::path& folder);

}  // namespace embd::huggingface
