#include "base/os/file_copy.h"

#include <fcntl.h>
#include <unistd.h>

namespace embd::os {

std::uint64_t copy_some(const FileDescriptor& source, std::uint64_t offset, std::uint64_t count,
                        const FileDescriptor& target) noexcept {
  auto from = static_cast<off_t>(offset);
  const ssize_t copied = ::copy_file_range(source.get(), &from, target.get(), nullptr, count, 0);
  return copied > 0 ? static_cast<std::uint64_t>(copied) : 0;
}

void start_writeback(const FileDescriptor& file, std::uint64_t offset,
                     std::uint64_t count) noexcept {
  ::sync_file_range(file.get(), static_cast<off_t>(offset), static_cast<off_t>(count),
                    SYNC_FILE_RANGE_WRITE);
}

}  // namespace embd::os
