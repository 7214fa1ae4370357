#pragma once

#include <filesystem>

#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"

namespace embd {

/// Gives `file` the owner, the group and the permissions of the file that it is to replace, as far
/// as the system permits. If the group cannot be set, the file's own group gets only the
/// permissions that everybody has.
void take_attributes(const FileDescriptor& file, const FileStatus& replaced);

/// Gives the folder `path` the owner, the group and the permissions of the folder `replaced`, and
/// everything in it those of the entry with the same name in `replaced`, if there is one. Symbolic
/// links are not changed.
void take_attributes(const std::filesystem::path& path, const std::filesystem::path& replaced);

}  // namespace embd
