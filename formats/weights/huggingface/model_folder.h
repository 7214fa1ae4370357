#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/model_types.h"
#include "embd/recipe.h"
#include "embd/vector_module.h"
#include "formats/weights/huggingface/checkpoint.h"
#include "formats/weights/model_spec.h"
#include "tokenizer/special_tokens.h"

namespace embd::huggingface {

/// A vector module, and the folder with its settings and weights.
struct ModuleFolder {
  VectorModule module;  ///< The sizes are those that the settings state.
  std::filesystem::path folder;
};

/// The settings that sentence-transformers stores beside the encoder: the modules that follow it,
/// and how texts are prepared.
struct SentenceModules {
  std::filesystem::path encoder;  ///< The folder with config.json, the weights and the vocabulary.
  bool are_listed = false;        ///< True if there is a modules.json.
  bool are_cross_encoder = false;
  bool are_static = false;  ///< True if the encoder is a table of rows, a StaticEmbedding.
  /// The activation of a cross-encoder as a Python path; empty if it is not stated.
  std::string activation;
  /// The poolings whose results are joined, at least one.
  std::vector<Pooling> poolings = {Pooling::mean};
  std::vector<ModuleFolder> modules;            ///< The modules between Pooling and `normalize`.
  bool normalize = false;                       ///< True if the last module is Normalize.
  std::optional<std::uint32_t> max_seq_length;  ///< The greatest number of tokens, if it is stated.
  bool lower_case = false;  ///< True if texts are lower-cased before the tokenizer reads them.
  std::vector<Prompt> prompts;
  std::string default_prompt_name;  ///< The name of the default prompt; empty if there is none.
  /// The number of components that are kept after normalizing; 0 keeps all.
  std::uint32_t truncate_dim = 0;
  /// The similarity, such as "cosine" or "dot"; empty if it is not stated.
  std::string similarity;
};

/// Reads modules.json and the files that it names, as sentence-transformers 6.2 does. A folder
/// without modules.json is a bare encoder with mean pooling, whose vectors are not normalized.
/// Fails with unsupported for every setting that changes vectors and that embd does not have; the
/// message names it. Fails with missing, bad_type, bad_value or bad_json for a bad file.
Result<SentenceModules> read_sentence_modules(const std::filesystem::path& folder);

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

/// Returns the ids of the pieces that a model needs for `texts`, in ascending order:
/// - the pieces of the texts, alone and after each prompt of the model, and of the prompts;
/// - each character of these pieces that is a piece itself;
/// - the special tokens and the added ones, and the pieces of bytes if the tokenizer falls back to
/// bytes;
/// - a piece with the lowest score, which determines the score of the unknown piece.
///
/// If a model keeps only these pieces, in their order and with their scores, every text whose
/// pieces are among them is tokenized as before. Fails with unsupported if the tokenizer is not
/// Unigram, with the errors of UnigramTokenizer, and with out_of_memory.
Result<std::vector<std::int32_t>> needed_pieces(const ModelFolder& model,
                                                std::span<const std::string> texts);

/// Removes all pieces from the vocabulary except those in `kept`, which has their ids in ascending
/// order. They get the ids 0, 1, 2, …. `kept` must have all special and
/// added tokens.
void keep_pieces(ModelFolder& model, std::span<const std::int32_t> kept);

}  // namespace embd::huggingface
