#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// The files of tests/data/cvc and the arrays they were made from.
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

/// What numpy.save wrote, C order, little-endian.
struct Array {
  std::string dtype;  ///< "<f4", "|u1", …
  std::size_t rows = 0;
  std::size_t dim = 1;
  std::string bytes;

  template <class T>
  std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

inline Array load_array(const std::string& name) {
  const std::string file = file_bytes(fixture(name));
  const std::size_t header_bytes =
      static_cast<unsigned char>(file.at(8)) | static_cast<unsigned char>(file.at(9)) << 8;
  const std::string header = file.substr(10, header_bytes);
  const std::size_t dtype = header.find("'descr': '") + 10;
  const std::size_t shape = header.find("'shape': (") + 10;
  Array array;
  array.dtype = header.substr(dtype, 3);
  array.rows = std::stoull(header.substr(shape));
  const std::size_t comma = header.find(',', shape);
  if (header[comma + 1] == ' ') array.dim = std::stoull(header.substr(comma + 1));
  array.bytes = file.substr(10 + header_bytes);
  return array;
}

}  // namespace embd::cvc
