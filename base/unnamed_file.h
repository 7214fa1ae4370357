#pragma once

#include <filesystem>

#include "base/file_descriptor.h"

namespace embd {

/// A file without a name on the disk of `directory`, open for reading and writing. It vanishes when
/// it is closed, and nobody else can open it.
Result<FileDescriptor> create_unnamed_file(const std::filesystem::path& directory);

}  // namespace embd
