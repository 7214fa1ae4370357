#pragma once

#include <filesystem>
#include <memory>
#include <span>
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

  /// Opens the weights of a vector module, which lie in a folder of their own. Fails with the
  /// errors of open().
  Result<void> add_module(std::uint32_t number, VectorModuleKind kind,
                          const std::filesystem::path& folder);

  /// Finds the table of a static model: "embedding.weight" of sentence-transformers, or
  /// "embeddings" of model2vec with "mapping" and "weights" if they are there. Makes it the word
  /// table of `num_tokens` tokens, and returns the number of its columns. Row i is weights[i] times
  /// row mapping[i] of the table, in float32. Like sentence-transformers, a negative number in the
  /// mapping counts from the end of the table. Fails with tensor_missing, tensor_wrong_type or
  /// tensor_wrong_shape, with bad_value for a row that the table does not have, and with
  /// unsupported for a mapped table of more than 8192 columns.
  Result<std::uint32_t> add_static_table(std::uint32_t num_tokens);

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
  /// Returns the SHA-256 of the file, or of all files: those of the encoder in the order of their
  /// names, then those of modules.
  std::string sha256() const;

 private:
  Result<SourceTensor> find_named(const ModelTensor& wanted) const;
  /// Returns the tensor with this name in the files; nullptr if there is none.
  const SourceTensor* named(const std::string& name) const noexcept;
  Result<const SourceTensor*> static_table() const;
  /// Returns a list with a value of one of these types for each token; nullptr if there is none.
  Result<const SourceTensor*> list_of_tokens(const std::string& name,
                                             std::span<const std::string_view> types,
                                             std::uint32_t num_tokens) const;

  Family family_ = Family::bert;
  std::vector<SafetensorsFile> files_;
  std::unique_ptr<const SourceTensor> static_table_;
  std::unordered_map<std::string, const SourceTensor*> tensors_;  // All tensors, by name.
  std::shared_ptr<const FileDescriptor> only_file_;
};

/// Returns the files of a folder that have weights in a format that embd does not read, each with
/// the name of its format, such as "pytorch_model.bin (a pickle of PyTorch)". The text is empty if
/// there are none.
std::string weights_of_other_formats(const std::filesystem::path& folder);

}  // namespace embd::huggingface
