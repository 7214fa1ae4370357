#pragma once

#include <filesystem>

#include "base/os/file_descriptor.h"

namespace embd {

/// Creates a file without a name on the disk of `directory`, open for reading and writing. It
/// disappears when it is closed, and nobody else can open it.
Result<FileDescriptor> create_unnamed_file(const std::filesystem::path& directory);

/// Creates a file in memory, open for reading and writing. It disappears when it is closed. `name`
/// appears in listings of the process's files.
os::Outcome<FileDescriptor> create_file_in_memory(const char* name) noexcept;

}  // namespace embd
