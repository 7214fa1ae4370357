#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace embd::fuzz {

/// A file on disk with a fuzzer's input. Code that does not follow symbolic links needs it, because
/// the path of a MemoryFile is such a link.
class NamedFile {
 public:
  NamedFile(const std::uint8_t* data, std::size_t size)
      : path_((std::filesystem::temp_directory_path() / "embd-fuzz-XXXXXX").string()) {
    const int file = ::mkstemp(path_.data());
    if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
    ::close(file);
  }
  NamedFile(const NamedFile&) = delete;
  NamedFile& operator=(const NamedFile&) = delete;
  ~NamedFile() { ::unlink(path_.c_str()); }

  std::filesystem::path path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace embd::fuzz
