#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "formats/weights/huggingface/safetensors.h"
#include "formats/weights/model_tensors.h"

namespace embd::huggingface {

/// The weights of a model folder: model.safetensors, or the files that model.safetensors.index.json
/// lists.
class Checkpoint {
 public:
  /// Opens the weights of a folder. Fails with not_found if there are none, with unsupported if
  /// there are only weights in another format, with bad_value if the index names a file outside the
  /// folder, and with the errors of SafetensorsFile.
  static Result<Checkpoint> open(const std::filesystem::path& folder);

  /// Finds a tensor under one of its checkpoint_names(). Fails with tensor_missing, and with
  /// tensor_wrong_type if it does not have floats.
  Result<const SourceTensor*> find(const ModelTensor& wanted) const;
  /// Returns the SHA-256 of the file, or of all files in the order of their names.
  std::string sha256() const;

 private:
  std::filesystem::path folder_;
  std::vector<SafetensorsFile> files_;
};

}  // namespace embd::huggingface
