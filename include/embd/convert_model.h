#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "embd/element_type.h"
#include "embd/error.h"

namespace embd {

struct ConvertModelOptions {
  /// Type of the weight matrices and the word table: f32, f16, bf16, or i8 with a scale a row. The
  /// two small tables follow, but for i8, where they stay float32; biases and LayerNorm are always
  /// float32.
  ElementType type = ElementType::f32;
  /// Two CRC-32 over the whole file, for LoadOptions::verify.
  bool checksums = true;
  /// Empty: the folder's name.
  std::string model_name = {};
  std::string license = {};  ///< noted in the file unless empty
  /// If given, only the pieces of a Unigram vocabulary that these texts need, and their rows of the
  /// word table. Every text whose pieces are among them has the same pieces and the same vector as
  /// with the whole vocabulary; these texts are such, alone and behind the model's prompts. A text
  /// that needs others is cut into what is there. Ids are counted anew in the same order, so
  /// the tokenizer's hash is another (docs/formats/huggingface.md).
  std::optional<std::vector<std::string>> texts_to_prune_for = {};
};

/// Converts a Hugging Face folder (config.json, a WordPiece vocabulary, model.safetensors or its
/// shards, and what sentence-transformers keeps beside them) to an EMBD file, and reads all of that
/// file back. Every setting that changes vectors is taken over as sentence-transformers 6.2 reads
/// it (docs/formats/huggingface.md).
///
/// The file is dated with the environment's SOURCE_DATE_EPOCH, else 1970-01-01, so that equal
/// folders and options give equal files. It appears whole or not at all.
///
/// Errors: unsupported for a model that is not BERT with WordPiece, by the name of its architecture
/// or tokenizer, for every other setting that embd has not, and for WordPiece that is to be pruned;
/// missing, bad_value, bad_json, duplicate_token and others for settings that contradict each
/// other; tensor_missing, tensor_wrong_shape, tensor_wrong_type for weights that do not fit them;
/// bad_value for a weight that is not finite or too large for the type; not_found, io_failed;
/// invalid_argument for another type, and for a file of the folder as `out`.
Result<void> convert_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                           const ConvertModelOptions& options = {});

}  // namespace embd
