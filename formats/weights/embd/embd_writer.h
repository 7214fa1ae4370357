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

/// A tensor to be written. Its bytes are requested when it is written, so that only one tensor at a
/// time is in memory.
struct TensorSource {
  std::string name;
  ElementType type = ElementType::f32;
  TensorShape shape;
  /// Sets `bytes` to the values of the tensor, row-major.
  std::function<Result<void>(std::vector<std::byte>& bytes)> read;
};

struct WeightFileContent {
  /// The entries of the metadata, in the order of the file.
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> vocab;  ///< The tokens by id; empty for a file without a vocabulary.
  SpecialTokenIds special;
  std::vector<TensorSource> tensors;  ///< The tensors, in the order of the file.
  bool checksums = true;
};

/// Writes an EMBD 1.0 file in its canonical form (docs/formats/embd.md): metadata, vocabulary,
/// index, then every tensor at a multiple of 64 bytes with zeros between. Equal content gives equal
/// bytes. The file appears whole or not at all. Fails with invalid_argument if a string or section
/// is too long for its field, and with the errors of TensorSource::read and of writing.
Result<void> write_weight_file(const std::filesystem::path& path, const WeightFileContent& content);
/// Passes the bytes of an EMBD file to `write`, piece by piece, in order.
Result<void> write_weights(const WeightFileContent& content,
                           const std::function<Result<void>(Bytes)>& write);

}  // namespace embd
