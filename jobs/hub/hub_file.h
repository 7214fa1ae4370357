#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace embd::hub {

/// A file of a model's repository, as the hub lists it.
struct HubFile {
  std::string path;        ///< in the repository, such as "1_Pooling/config.json"
  std::uint64_t size = 0;  ///< bytes
  /// The name that its content has in the cache: 64 hex digits of its SHA-256 for a large file, 40
  /// of Git's SHA-1 for others.
  std::string hash;
};

/// A commit of a repository.
struct HubListing {
  std::string commit;
  std::vector<HubFile> files;
};

/// Returns the files that embd reads of a model: settings, tokenizer, the weights in safetensors or
/// their shards, and the settings of the modules behind the encoder.
std::vector<HubFile> wanted_files(const HubListing& listing);

}  // namespace embd::hub
