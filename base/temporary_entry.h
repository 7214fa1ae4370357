#pragma once

#include <filesystem>

#include "base/os/file_descriptor.h"
#include "embd/error.h"

namespace embd {

/// A new file or directory named `PATH.embd-N.tmp`, for what is to become PATH. It is locked
/// (flock) while `descriptor` is open, so that a process that was killed leaves one without a lock:
/// the next one for the same PATH removes it.
struct TemporaryEntry {
  std::filesystem::path path;
  FileDescriptor descriptor;  ///< a file's is open for writing
};

/// Errors name `path`, as whoever asked for it knows no other.
Result<TemporaryEntry> create_temporary_file(const std::filesystem::path& path);
/// `mode`: its permissions, less those that the process's umask takes away.
Result<TemporaryEntry> create_temporary_directory(const std::filesystem::path& path,
                                                  unsigned mode = 0777);

/// Whether `path` itself still names what is open.
bool names(const std::filesystem::path& path, const FileDescriptor& descriptor);

}  // namespace embd
