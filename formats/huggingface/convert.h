#pragma once

#include <filesystem>
#include <string>

#include "embd/error.h"
#include "formats/embd/embd_tensor.h"

namespace embd::huggingface {

struct ConvertOptions {
  /// Of the weight matrices and the word table: f32, f16, bf16 or i8 with a scale a row. The two
  /// small tables follow, but for i8, where they stay float32; biases and LayerNorm are always
  /// float32.
  TensorType type = TensorType::f32;
  bool checksums = true;
  /// Empty: the folder's name.
  std::string model_name;
  std::string license;  ///< left out if empty
};

/// Converts a folder with config.json, a vocabulary and model.safetensors to an EMBD file, and
/// reads all of that file back. It is dated with the environment's SOURCE_DATE_EPOCH, else
/// 1970-01-01, so that equal folders give equal files. Errors: those of reading the folder;
/// tensor_missing and tensor_wrong_shape for weights that do not fit config.json; bad_value for a
/// weight that is not finite or too large for the type; those of writing, and of opening what was
/// written.
Result<void> convert_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                           const ConvertOptions& options = {});

}  // namespace embd::huggingface
