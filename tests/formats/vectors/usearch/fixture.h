#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// The files of tests/data/usearch and the arrays that belong to them.
namespace embd::usearch {

inline std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(EMBD_TEST_DATA) / "usearch" / name;
}

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Returns the entries of the manifest whose files a reader must refuse (`bad`) or accept.
inline std::vector<nlohmann::json> fixtures(bool bad) {
  std::vector<nlohmann::json> chosen;
  for (const auto& entry : nlohmann::json::parse(file_bytes(fixture("manifest.json")))) {
    if (entry.value("bad", false) == bad) chosen.push_back(entry);
  }
  return chosen;
}

/// An array that numpy.save wrote, in C order and little-endian.
struct Array {
  std::string dtype;  ///< "<f4", "|u1", …
  std::size_t rows = 0;
  std::size_t cols = 1;
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
  const std::size_t shape = header.find("'shape': (") + 10;
  Array array;
  array.dtype = header.substr(header.find("'descr': '") + 10, 3);
  array.rows = std::stoull(header.substr(shape));
  const std::size_t comma = header.find(',', shape);
  if (header[comma + 1] == ' ') array.cols = std::stoull(header.substr(comma + 1));
  array.bytes = file.substr(10 + header_bytes);
  return array;
}

/// Returns the rows as float32. Bits (rows of uint8 for a b1 index) become 0 and 1, the highest bit
/// first.
inline std::vector<float> load_rows(const std::string& name, bool bits, std::size_t& dim) {
  const Array array = load_array(name);
  dim = array.cols;
  if (array.dtype == "<f4") return array.as<float>();
  if (array.dtype == "<f8") {
    const auto wide = array.as<double>();
    return {wide.begin(), wide.end()};
  }
  const auto bytes = array.as<std::uint8_t>();
  if (!bits) return {bytes.begin(), bytes.end()};
  dim = 8 * array.cols;
  std::vector<float> values;
  for (const std::uint8_t byte : bytes) {
    for (int bit = 7; bit >= 0; --bit) values.push_back(static_cast<float>((byte >> bit) & 1));
  }
  return values;
}

}  // namespace embd::usearch
