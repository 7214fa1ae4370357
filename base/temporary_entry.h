#pragma once

#include <filesystem>

#include "base/os/file_descriptor.h"
#include "embd/error.h"

namespace embd {

/// A new temporary file or directory named `PATH.embd-N.tmp`, which is to become PATH. It is locked
/// (flock) while `descriptor` is open. If the process is killed, the lock vanishes and the entry
/// stays; the next process that creates one for the same PATH removes it.
struct TemporaryEntry {
  std::filesystem::path path;
  FileDescriptor descriptor;  ///< open for writing if it is a file
};

/// Creates a temporary file. Errors name `path`, because that is the name that the user knows.
Result<TemporaryEntry> create_temporary_file(const std::filesystem::path& path);
/// Creates a temporary directory with the permissions `mode`, reduced by the umask of the process.
Result<TemporaryEntry> create_temporary_directory(const std::filesystem::path& path,
                                                  unsigned mode = 0777);

/// Returns true if `path`, without following a link, still names the open file.
bool names(const std::filesystem::path& path, const FileDescriptor& descriptor);

}  // namespace embd
