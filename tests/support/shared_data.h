#pragma once

#include <cstdlib>
#include <filesystem>

namespace embd::test {

/// A file of the folder that the environment variable EMBD_SHARED_DATA names: large data that is
/// not part of this tree. Empty if the variable is not set or the file is not there; the test that
/// wanted it is then skipped.
inline std::filesystem::path shared_data(const std::filesystem::path& name) {
  const char* folder = std::getenv("EMBD_SHARED_DATA");
  if (folder == nullptr) return {};
  const std::filesystem::path path = folder / name;
  std::error_code error;
  return std::filesystem::exists(path, error) ? path : std::filesystem::path();
}

}  // namespace embd::test
