#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"

namespace embd::hub {

/// A file of a model's repository on a hub.
struct HubFile {
  std::string path;        ///< its path in the repository, such as "1_Pooling/config.json"
  std::uint64_t size = 0;  ///< in bytes
  /// The name of its content in the cache: the SHA-256 (64 hex digits) of a large file, Git's SHA-1
  /// (40 hex digits) of other files.
  std::string hash = {};
  /// The SHA-256 that embd itself knows for this file; empty for files of other models.
  std::string_view known_sha256 = {};
};

/// A commit of a repository with its files.
struct HubListing {
  std::string commit;
  std::vector<HubFile> files;
};

/// Returns true for the path of a file that embd reads in the folder of a model: settings,
/// tokenizer, weights in safetensors or their shards, and the settings of the modules after the
/// encoder.
bool is_read(std::string_view path) noexcept;

/// Returns the files of the model `name` that embd reads. `name` includes the organization.
///
/// For a model whose files embd knows, each file gets its known SHA-256. Fails with unsupported if
/// the encoder has no weights or no config.json, with duplicate if two files have one path, and
/// with checksum_mismatch if a known model has another file, or lacks one.
Result<std::vector<HubFile>> files_of_model(std::string_view name, const HubListing& listing);

}  // namespace embd::hub
