#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "formats/weights/huggingface/safetensors.h"
#include "formats/weights/model_tensors.h"

namespace embd::huggingface {

/// The weights of a folder: model.safetensors, or the files that model.safetensors.index.json
/// names.
class Checkpoint {
 public:
  /// Errors: not_found for a folder with neither, unsupported where other weights are there; those
  /// of SafetensorsFile; bad_value for an index that names a file outside the folder.
  static Result<Checkpoint> open(const std::filesystem::path& folder);

  /// The tensor under one of its checkpoint_names(). Errors: tensor_missing, tensor_wrong_type for
  /// one that is not of floats.
  Result<const SourceTensor*> find(const ModelTensor& wanted) const;
  /// SHA-256 of the file, or of all files in the order of their names.
  std::string sha256() const;

 private:
  std::filesystem::path folder_;
  std::vector<SafetensorsFile> files_;
};

}  // namespace embd::huggingface
