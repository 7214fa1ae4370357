#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/model_types.h"
#include "formats/weights/huggingface/checkpoint.h"
#include "formats/weights/model_spec.h"
#include "tokenizer/special_token_ids.h"

namespace embd::huggingface {

/// A sentence embedding model or a cross-encoder, as a folder of the Hugging Face hub describes it.
struct ModelFolder {
  ModelSpec spec;                  ///< The spec without the fields about the origin of the model.
  std::vector<std::string> vocab;  ///< The spec.vocab_size tokens, by id.
  SpecialTokenIds special;
  std::vector<std::uint32_t> merges;  ///< The ids of the two tokens of each merge; for BPE.
  std::vector<double> scores;         ///< The score of each piece, by id; for a Unigram tokenizer.
  std::string character_map;          ///< The bytes of the character map; for a Unigram tokenizer.
  std::filesystem::path encoder;      ///< The folder with the weights.
  Checkpoint weights;                 ///< The weights, which have the sizes of the spec.
  std::vector<ModelNote> notes;
};

/// Reads everything, as sentence-transformers 6.2 does; of the weights only names and shapes. Every
/// setting that changes vectors is either used or refused. Fails with the errors of
/// read_bert_config(), read_sentence_modules(), read_classifier_config(), read_folder_tokenizer(),
/// check_use() and Checkpoint, with bad_value if numbers do not fit each other, and with
/// vocabulary_count if there are more tokens than the encoder has.
Result<ModelFolder> read_model_folder(const std::filesystem::path& folder);

}  // namespace embd::huggingface
