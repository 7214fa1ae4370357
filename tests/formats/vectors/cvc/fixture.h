#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/npy.h"

/// The files of tests/data/cvc and the arrays from which they were made.
namespace embd::cvc {

inline std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(EMBD_TEST_DATA) / "cvc" / name;
}

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline nlohmann::json manifest() {
  return nlohmann::json::parse(file_bytes(fixture("manifest.json")));
}

inline test::Npy load_array(const std::string& name) {
  return test::read_npy(fixture(name));
}

}  // namespace embd::cvc
