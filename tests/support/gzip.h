#pragma once

#include <zlib.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

namespace embd::testing {

/// Returns the whole content of a .gz file. Throws if it cannot be read, because a test cannot run
/// without its data.
inline std::string read_gzip(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::string content;
  std::array<char, 1 << 16> buffer;
  int count = 0;
  while ((count = gzread(file.get(), buffer.data(), buffer.size())) > 0) {
    content.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (count < 0) throw std::runtime_error("cannot read " + path);
  return content;
}

}  // namespace embd::testing
