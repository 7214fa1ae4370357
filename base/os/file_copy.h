#pragma once

#include <cstdint>

#include "base/os/file_descriptor.h"

namespace embd::os {

/// Appends up to `count` bytes of `source` from `offset` on to `target`, without taking them
/// through this process's memory. Returns how many; 0 where the system cannot do it between these
/// files, or at the end of `source`.
std::uint64_t copy_some(const FileDescriptor& source, std::uint64_t offset, std::uint64_t count,
                        const FileDescriptor& target) noexcept;

/// Has the system begin to send `count` bytes of `file` from `offset` on to the disk. Only a hint.
void start_writeback(const FileDescriptor& file, std::uint64_t offset,
                     std::uint64_t count) noexcept;

}  // namespace embd::os
