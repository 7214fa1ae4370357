#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/embd/embd_writer.h"

namespace embd::test {

using Metadata = std::vector<std::pair<std::string, std::string>>;

/// Copies a weight file and adds entries of metadata.
inline Result<void> copy_with_metadata(const std::filesystem::path& from,
                                       const std::filesystem::path& to, const Metadata& entries) {
  const WeightFile file = WeightFile::open(from).value();
  WeightFileContent content;
  for (const MetadataEntry& entry : file.metadata())
    content.metadata.emplace_back(entry.key, entry.value);
  content.metadata.insert(content.metadata.end(), entries.begin(), entries.end());
  content.vocab.assign(file.vocab().begin(), file.vocab().end());
  content.special = file.special_tokens();
  for (const Tensor& tensor : file.tensors()) {
    content.tensors.push_back({std::string(tensor.name), tensor.type, tensor.shape,
                               [&tensor](std::vector<std::byte>& bytes) -> Result<void> {
                                 bytes.assign(tensor.data.begin(), tensor.data.end());
                                 return {};
                               }});
  }
  return write_weight_file(to, content);
}

}  // namespace embd::test
