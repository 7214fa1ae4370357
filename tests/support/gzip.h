#pragma once

#include <zlib.h>

#include <array>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/path_text.h"

namespace embd::testing {

/// Returns the whole content of a .gz file. Throws if it cannot be read, because a test cannot run
/// without its data.
inline std::string read_gzip(const std::filesystem::path& path) {
  const std::string name = text_of_path(path);
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(name.c_str(), "rb"), gzclose);
  if (!file) throw std::runtime_error("cannot open " + name);
  std::string content;
  std::array<char, 1 << 16> buffer;
  int count = 0;
  while ((count = gzread(file.get(), buffer.data(), buffer.size())) > 0) {
    content.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (count < 0) throw std::runtime_error("cannot read " + name);
  return content;
}

}  // namespace embd::testing
