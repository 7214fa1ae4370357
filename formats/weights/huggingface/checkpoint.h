#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/os/file_descriptor.h"
#include "formats/weights/huggingface/safetensors.h"
#include "formats/weights/model_tensors.h"

namespace embd::huggingface {

/// The weights of a model folder: model.safetensors, or the files that model.safetensors.index.json
/// lists.
class Checkpoint {
 public:
  /// Opens the weights of a folder, whose tensors have the names of this family. Fails with
  /// not_found if there are none, with unsupported if there are only weights in another format,
  /// with bad_value if the index names a file outside the folder, and with the errors of
  /// SafetensorsFile.
  static Result<Checkpoint> open(const std::filesystem::path& folder, Family family);

  /// Finds a tensor at one of its checkpoint_places(). The result refers to the file. Fails with
  /// tensor_missing, with tensor_wrong_type if it does not have floats, and with tensor_wrong_shape
  /// if it does not have the shape that is wanted.
  Result<SourceTensor> find(const ModelTensor& wanted) const;
  /// Returns the number of rows of a module's weights. Fails with tensor_missing.
  Result<std::uint64_t> rows_of(Module module) const;
  /// Returns the open file with all weights; nullptr if they lie in several files.
  std::shared_ptr<const FileDescriptor> only_file() const { return only_file_; }
  /// Returns true if bytes are part of one of the files.
  bool has(Bytes part) const noexcept;
  /// Returns the SHA-256 of the file, or of all files in the order of their names.
  std::string sha256() const;

 private:
  Result<SourceTensor> find_named(const ModelTensor& wanted) const;

  Family family_ = Family::bert;
  std::vector<SafetensorsFile> files_;
  std::unordered_map<std::string_view, const SourceTensor*> tensors_;  // All tensors, by name.
  std::shared_ptr<const FileDescriptor> only_file_;
};

}  // namespace embd::huggingface
