#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "embd/error.h"
#include "formats/weights/model_spec.h"
#include "tokenizer/special_token_ids.h"

namespace embd::huggingface {

/// A sentence model or a cross-encoder as a folder of the Hugging Face hub describes it, without
/// its weights.
struct ModelFolder {
  ModelSpec spec;                  ///< but where it comes from
  std::vector<std::string> vocab;  ///< by id, spec.vocab_size of them
  std::uint32_t word_rows = 0;     ///< of the word table: at least as many
  SpecialTokenIds special;
  std::vector<float> scores;      ///< of a Unigram tokenizer, by id
  std::string character_map;      ///< of a Unigram tokenizer
  std::filesystem::path weights;  ///< the folder they are in
};

/// Reads everything but the weights as sentence-transformers 6.2 does, in whose words every setting
/// that changes vectors is either taken over or refused. Errors: those of read_bert_config(),
/// read_sentence_modules(), read_classifier_config() and read_folder_tokenizer(); bad_value for
/// numbers that do not fit each other, vocabulary_count for more tokens than the encoder has.
Result<ModelFolder> read_model_folder(const std::filesystem::path& folder);

}  // namespace embd::huggingface
