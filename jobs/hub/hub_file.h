#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace embd::hub {

/// A file of a model's repository on a hub.
struct HubFile {
  std::string path;        ///< its path in the repository, such as "1_Pooling/config.json"
  std::uint64_t size = 0;  ///< in bytes
  /// The name of its content in the cache: the SHA-256 (64 hex digits) of a large file, Git's SHA-1
  /// (40 hex digits) of other files.
  std::string hash;
};

/// A commit of a repository with its files.
struct HubListing {
  std::string commit;
  std::vector<HubFile> files;
};

/// Returns the files of a model that embd reads: settings, tokenizer, weights in safetensors or
/// their shards, and the settings of the modules after the encoder.
std::vector<HubFile> wanted_files(const HubListing& listing);

}  // namespace embd::hub
