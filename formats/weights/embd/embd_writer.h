#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "embd/element_type.h"
#include "embd/error.h"
#include "formats/weights/tensor_shape.h"
#include "tokenizer/special_token_ids.h"

namespace embd {

/// A tensor to be written. Its bytes are asked for when its turn comes, so that no more than one
/// tensor is in memory.
struct TensorSource {
  std::string name;
  ElementType type = ElementType::f32;
  TensorShape shape;
  /// Fills `bytes` with exactly the tensor's values, row-major.
  std::function<Result<void>(std::vector<std::byte>& bytes)> read;
};

struct WeightFileContent {
  std::vector<std::pair<std::string, std::string>> metadata;  ///< in the order of the file
  std::vector<std::string> vocab;  ///< by id; empty: the file has no vocabulary
  SpecialTokenIds special;
  std::vector<TensorSource> tensors;  ///< in the order of the file
  bool checksums = true;
};

/// Writes an EMBD 1.0 file in its canonical form (docs/formats/embd.md): metadata, vocabulary,
/// index, then every tensor at a multiple of 64, zeros between. Equal content gives equal bytes;
/// the file appears whole. Errors: invalid_argument for a string or section too long for its field,
/// those of the tensors' read and of writing.
Result<void> write_weight_file(const std::filesystem::path& path, const WeightFileContent& content);
/// The same bytes, one piece after the other, to `write`.
Result<void> write_weights(const WeightFileContent& content,
                           const std::function<Result<void>(Bytes)>& write);

}  // namespace embd
