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

/// Collects bytes that must wait until the bytes before them in a file are known. They are kept in
/// memory while they are few, then in an unnamed file, which disappears with this object. Not
/// thread-safe.
class SpillFile {
 public:
  /// `output` is the file or directory that the bytes are for. They wait on the same disk, or in
  /// the system's temporary directory if the output is a device or a pipe.
  static SpillFile beside(const std::filesystem::path& output);

  /// Appends bytes.
  Result<void> write(Bytes bytes);
  std::uint64_t size() const noexcept { return size_; }
  /// Reads bytes [offset, offset + out.size()) of the bytes written.
  Result<void> read(std::uint64_t offset, std::span<std::byte> out);
  /// Appends bytes [offset, offset + count) of the bytes written to the file `out`.
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
