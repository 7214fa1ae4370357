#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/os/file_descriptor.h"
#include "embd/error.h"

namespace embd {

class OutputFile;

/// Bytes kept aside until what must stand before them in a file is known: in memory while they are
/// few, then in a file without a name, which vanishes with this. Not thread-safe.
class SpillFile {
 public:
  /// `output`: the file or directory that the bytes are for. They wait on its disk, or in the
  /// system's temporary directory where it is a device or a pipe.
  static SpillFile beside(const std::filesystem::path& output);

  /// Appends.
  Result<void> write(Bytes bytes);
  std::uint64_t size() const noexcept { return size_; }
  /// Bytes [offset, offset + out.size()) of those written.
  Result<void> read(std::uint64_t offset, std::span<std::byte> out);
  /// Appends bytes [offset, offset + count) to `out`.
  Result<void> copy_to(OutputFile& out, std::uint64_t offset, std::uint64_t count);

 private:
  SpillFile() = default;
  Result<void> create();
  Result<void> flush();

  std::filesystem::path directory_;
  FileDescriptor file_;  // not open: all bytes are in the buffer
  std::uint64_t size_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace embd
