#pragma once

#include <filesystem>

#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"

namespace embd {

/// Gives `file` the owner, the group and the permissions of the file it is to replace, as far as
/// the system lets this process. Where it cannot have the same group, its own group may do what
/// everybody may.
void take_attributes(const FileDescriptor& file, const FileStatus& replaced);

/// Does so for everything in and under `path` that has a counterpart of the same name in and under
/// `replaced`. Leaves symbolic links alone.
void take_attributes(const std::filesystem::path& path, const std::filesystem::path& replaced);

}  // namespace embd
