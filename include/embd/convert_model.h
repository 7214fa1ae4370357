#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "embd/element_type.h"
#include "embd/error.h"

namespace embd {

/// Options for converting a model folder to a weight file.
struct ConvertModelOptions {
  /// The type in which the weight matrices and the word embeddings are stored: f32 (the default),
  /// f16, bf16, or i8 with a scale for each 64 columns of a row, and for each row of the word
  /// embeddings. For i8, the model embeds 90 random tokens to learn how to round its matrices. The
  /// position and token type embeddings are stored in the same type, except that i8 leaves them as
  /// float32. Biases and LayerNorm parameters are always float32.
  ElementType type = ElementType::f32;
  /// Write two CRC-32 checksums over the whole file, which LoadOptions::verify checks. By default
  /// they are written.
  bool checksums = true;
  /// The name of the model. If it is empty, the name of the folder is used.
  std::string model_name = {};
  /// The model's license, which is noted in the file. If it is empty, the file names no license.
  std::string license = {};
  /// If set, only the pieces of a Unigram vocabulary that these texts need are kept, with their
  /// rows of the word embeddings. A text needs the pieces into which it is cut, both alone and
  /// after each of the model's prompts, and their single characters. A text that needs no other
  /// pieces, such as these texts, keeps its pieces and its vector. Any other text is cut into the
  /// pieces that are left, which changes its vector. The pieces that are kept stay in their order,
  /// but get new token ids. So the hash of the tokenizer changes, too
  /// (docs/formats/huggingface.md).
  std::optional<std::vector<std::string>> texts_to_prune_for = {};
};

/// Converts a model folder of the Hugging Face hub to a weight file in the EMBD format, then reads
/// the file back and checks all of it. The folder holds config.json, a WordPiece or Unigram
/// vocabulary, model.safetensors or its shards, and the settings of sentence-transformers. Every
/// setting that changes vectors has the effect that it has in sentence-transformers 6.2, or is
/// refused (docs/formats/huggingface.md).
///
/// The creation date in the file is taken from the environment variable SOURCE_DATE_EPOCH, else it
/// is 1970-01-01: equal folders and options give equal files. The file appears when it is complete.
///
/// Fails with unsupported, naming the setting, for an encoder of a family that embd lacks, for
/// another tokenizer, for any other setting that embd cannot reproduce, and if a WordPiece
/// vocabulary is to be pruned. Fails with missing, bad_value, bad_json, duplicate_token and similar
/// codes for settings that are malformed or contradict each other; with tensor_missing,
/// tensor_wrong_shape or tensor_wrong_type for weights that do not fit the settings; with bad_value
/// for a weight that is not finite or too large for the chosen type; with invalid_argument for a
/// type other than f32, f16, bf16 and i8, and if `out` is one of the folder's files; with not_found
/// and io_failed.
Result<void> convert_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                           const ConvertModelOptions& options = {});

}  // namespace embd
