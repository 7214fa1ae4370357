#pragma once

#include <filesystem>
#include <string>

#include "embd/error.h"
#include "formats/weights/model_spec.h"

namespace embd::huggingface {

/// The encoder as config.json describes it.
struct BertConfig {
  ModelSpec sizes;              ///< sizes and layer_norm_eps; the rest is not there
  std::string tokenizer_class;  ///< empty: not named
};

/// Reads `folder`/config.json. Errors: unsupported for what is not a BERT encoder with the exact
/// GELU and absolute positions, by the name of its architecture; missing, bad_value, bad_json.
Result<BertConfig> read_bert_config(const std::filesystem::path& folder);

}  // namespace embd::huggingface
