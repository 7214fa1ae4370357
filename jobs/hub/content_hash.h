#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/os/file_descriptor.h"
#include "embd/error.h"

namespace embd::hub {

/// The hashes by which a hub identifies a file.
struct ContentHash {
  std::string sha256;    ///< of the bytes, as 64 hex digits
  std::string git_sha1;  ///< of the blob that Git makes of the bytes, as 40 hex digits
};

/// Reads the first `size` bytes of an open file and returns their hashes. `path` names the file in
/// errors.
Result<ContentHash> content_hash(const FileDescriptor& file, std::uint64_t size,
                                 const std::filesystem::path& path);

}  // namespace embd::hub
