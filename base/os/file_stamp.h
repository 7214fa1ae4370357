#pragma once

#include <optional>
#include <string>

#include "base/os/file_descriptor.h"

namespace embd {

/// Returns one line of text about an open file, which is not read: its identity, its size and the
/// time of its last change. Once the file is at rest (is_at_rest()), equal stamps mean equal bytes.
/// Returns nothing where the system does not note every change, as it does for ext2 to ext4,
/// XFS and Btrfs on Linux 5.8 and later. Thread-safe.
std::optional<std::string> stamp_of(const FileDescriptor& file);

/// Whether the last change is over: nobody has the file open for writing, or mapped for it, and the
/// clock has gone on so far that the next change gives another stamp. `file` is open for reading.
/// False also where the system does not say: of another user's file it tells only root.
/// Thread-safe.
bool is_at_rest(const FileDescriptor& file);

}  // namespace embd
