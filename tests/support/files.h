#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "base/path_text.h"

namespace embd::test {

inline std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

/// The contents of files by their names.
using Files = std::map<std::string, std::string>;

/// Reads all files below `folder`. Their names are relative to `folder`.
inline Files files_in(const std::filesystem::path& folder) {
  Files all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (!entry.is_directory())
      all[generic_text_of_path(entry.path().lexically_relative(folder))] = content(entry.path());
  return all;
}

}  // namespace embd::test
