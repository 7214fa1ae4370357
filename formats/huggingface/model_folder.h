#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/embd/embd_config.h"

namespace embd::huggingface {

/// What a folder of the Hugging Face hub says of a sentence model, apart from its weights.
struct ModelFolder {
  ModelConfig config;
  std::vector<std::string> vocab;  ///< by id
  SpecialTokens special;
};

/// Reads config.json, vocab.txt (or tokenizer.json), and where they are there
/// tokenizer_config.json, sentence_bert_config.json, 1_Pooling/config.json and modules.json.
/// Errors: unsupported for a model that is not BERT with the exact GELU, or whose pooling,
/// modules or tokenizer settings the engine has not; missing, bad_value, bad_json, duplicate_token,
/// invalid_utf8.
Result<ModelFolder> read_model_folder(const std::filesystem::path& folder);

/// A vocabulary by id: the lines of a vocab.txt, or the "vocab" of a WordPiece tokenizer.json.
Result<std::vector<std::string>> read_vocab(const std::filesystem::path& path);

}  // namespace embd::huggingface
