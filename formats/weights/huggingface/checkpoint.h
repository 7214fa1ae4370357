#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "formats/weights/embd/embd_config.h"
#include "formats/weights/huggingface/safetensors.h"

namespace embd::huggingface {

/// The weights of a folder: model.safetensors, or the files that model.safetensors.index.json
/// names.
class Checkpoint {
 public:
  /// Errors: not_found for a folder with neither, unsupported where other weights are there; those
  /// of SafetensorsFile; bad_value for an index that names a file outside the folder.
  static Result<Checkpoint> open(const std::filesystem::path& folder);

  /// The tensor under the name that EMBD gives it, with or without the prefix of the task model
  /// that it was saved in, and with the older names of LayerNorm's two. Errors: tensor_missing,
  /// tensor_wrong_type for one that is not of floats.
  Result<const SourceTensor*> find(std::string_view name) const;
  /// SHA-256 of the file, or of all files in the order of their names.
  std::string sha256() const;

 private:
  std::filesystem::path folder_;
  std::vector<SafetensorsFile> files_;
};

}  // namespace embd::huggingface
