#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "base/file_descriptor.h"

namespace embd {

/// Which file a name leads to, whatever the name is: device and inode.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// Of what `path` leads to, symbolic links followed; nullopt if nothing is there.
std::optional<FileIdentity> identity_of(const std::filesystem::path& path);
/// Of what `path` itself names, be it a symbolic link.
std::optional<FileIdentity> identity_of_name(const std::filesystem::path& path);
std::optional<FileIdentity> identity_of(const FileDescriptor& file);

}  // namespace embd
