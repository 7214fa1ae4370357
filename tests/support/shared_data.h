#pragma once

#include <cstdlib>
#include <filesystem>

namespace embd::test {

/// Returns the path of a file in the folder that the environment variable EMBD_SHARED_DATA names.
/// It has large data that are not in this repository. Empty if the variable is not set or the file
/// does not exist; the test is then skipped.
inline std::filesystem::path shared_data(const std::filesystem::path& name) {
  const char* folder = std::getenv("EMBD_SHARED_DATA");
  if (folder == nullptr) return {};
  const std::filesystem::path path = folder / name;
  std::error_code error;
  return std::filesystem::exists(path, error) ? path : std::filesystem::path();
}

}  // namespace embd::test
