#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "embd/error.h"
#include "formats/weights/model_spec.h"
#include "tokenizer/special_token_ids.h"

namespace embd::huggingface {

/// A sentence embedding model or a cross-encoder without its weights, as a folder of the Hugging
/// Face hub describes it.
struct ModelFolder {
  ModelSpec spec;                  ///< The spec without the fields about the origin of the model.
  std::vector<std::string> vocab;  ///< The spec.vocab_size tokens, by id.
  std::uint32_t word_rows = 0;  ///< The number of rows of the word table, at least spec.vocab_size.
  SpecialTokenIds special;
  std::vector<float> scores;      ///< The score of each token, by id; for a Unigram tokenizer.
  std::string character_map;      ///< The bytes of the character map; for a Unigram tokenizer.
  std::filesystem::path weights;  ///< The folder with the weights.
};

/// Reads everything but the weights, as sentence-transformers 6.2 does. Every setting that changes
/// vectors is either used or refused. Fails with the errors of read_bert_config(),
/// read_sentence_modules(), read_classifier_config() and read_folder_tokenizer(), with bad_value if
/// numbers do not fit each other, and with vocabulary_count if there are more tokens than the
/// encoder has.
Result<ModelFolder> read_model_folder(const std::filesystem::path& folder);

}  // namespace embd::huggingface
