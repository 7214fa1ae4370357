#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "embd/element_type.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_sections.h"
#include "formats/weights/model_tensors.h"
#include "tokenizer/special_tokens.h"

namespace embd {

/// A tensor to be written. Its bytes are either in memory already, such as in a mapped file, or
/// requested when it is written, so that only one tensor at a time is in memory.
struct TensorSource {
  std::string name;
  ElementType type = ElementType::f32;
  TensorShape shape;
  /// Sets `bytes` to the values of the tensor, row-major. Not called if `in_place` is set.
  std::function<Result<void>(std::vector<std::byte>& bytes)> read;
  /// The values of the tensor, if they lie in memory that outlives this object; else empty.
  Bytes in_place = {};
};

struct WeightFileContent {
  /// The entries of the metadata, in the order of the file.
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> vocab;  ///< The tokens by id; empty for a file without a vocabulary.
  SpecialTokenIds special;
  std::vector<TensorSource> tensors;  ///< The tensors, in the order of the file.
  bool checksums = true;
};

/// Returns the bytes of a tensor, which lie in its place or are read into `memory`. Fails with
/// invalid_argument if they do not fill the tensor's shape.
Result<Bytes> bytes_of(const TensorSource& tensor, std::vector<std::byte>& memory);

/// The part of a file before the tensors.
struct WeightFileFront {
  std::vector<std::byte> bytes;  ///< The bytes up to the section of the tensors' data.
  EmbdSections sections;
  std::uint64_t file_bytes = 0;  ///< The size of the whole file.
};

/// Returns the first part of the file that write_weights() writes. Fails with invalid_argument if a
/// string or section is too long for its field.
Result<WeightFileFront> front_of(const WeightFileContent& content);

/// Writes an EMBD 1.0 file in its canonical form (docs/formats/embd.md): metadata, vocabulary,
/// index, then every tensor at a multiple of 64 bytes with zeros between. Equal content gives equal
/// bytes. The file appears whole or not at all. Fails with invalid_argument if a string or section
/// is too long for its field, and with the errors of TensorSource::read and of writing.
Result<void> write_weight_file(const std::filesystem::path& path, const WeightFileContent& content);
/// Passes the bytes of an EMBD file to `write`, piece by piece, in order.
Result<void> write_weights(const WeightFileContent& content,
                           const std::function<Result<void>(Bytes)>& write);

}  // namespace embd
