#pragma once

#include <cstdint>

#include "base/os/file_descriptor.h"

namespace embd::os {

/// Appends up to `count` bytes of `source`, from `offset` on, to `target`, without passing them
/// through the memory of this process. Returns the number of bytes copied. 0 means that the system
/// cannot copy between these files, or that `source` has ended.
std::uint64_t copy_some(const FileDescriptor& source, std::uint64_t offset, std::uint64_t count,
                        const FileDescriptor& target) noexcept;

/// Asks the system to begin writing `count` bytes of `file`, from `offset` on, to the disk. It is
/// only a hint.
void start_writeback(const FileDescriptor& file, std::uint64_t offset,
                     std::uint64_t count) noexcept;

}  // namespace embd::os
