#pragma once

#include <filesystem>

#include "base/os/file_descriptor.h"

namespace embd {

/// A file without a name on the disk of `directory`, open for reading and writing. It vanishes when
/// it is closed, and nobody else can open it.
Result<FileDescriptor> create_unnamed_file(const std::filesystem::path& directory);

/// A file in memory, open for reading and writing, which vanishes when it is closed. `name` is
/// shown to who lists the process's files.
os::Outcome<FileDescriptor> create_file_in_memory(const char* name) noexcept;

}  // namespace embd
