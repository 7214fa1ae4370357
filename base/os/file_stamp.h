#pragma once

#include <optional>
#include <string>

#include "base/os/file_descriptor.h"

namespace embd {

/// Returns one line of text that identifies the state of an open file without reading it: its
/// identity, its size and the time of its last change. If the file is at rest (see is_at_rest()),
/// equal stamps mean equal bytes. Returns nothing if the file system does not record every change;
/// ext2 to ext4, XFS and Btrfs on Linux 5.8 and later do. Thread-safe.
std::optional<std::string> stamp_of(const FileDescriptor& file);

/// Returns true if the last change is over: nobody has the file open or mapped for writing, and
/// enough time has passed that another change would give another stamp. `file` must be open for
/// reading. Returns false if the system does not tell; it tells only root about another user's
/// file. Thread-safe.
bool is_at_rest(const FileDescriptor& file);

}  // namespace embd
