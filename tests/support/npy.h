#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/path_text.h"

namespace embd::test {

/// A NumPy array of expected values, saved by the scripts that made the fixtures: version 1 of
/// .npy, in C order. The data are trusted, so a malformed file throws.
struct Npy {
  std::string dtype;  ///< such as "<f4"
  std::vector<std::size_t> shape;
  std::string bytes;

  std::size_t rows() const { return shape.empty() ? 1 : shape[0]; }
  std::size_t cols() const { return shape.size() < 2 ? 1 : shape[1]; }

  /// Returns the values as T, whose size must be that of the dtype.
  template <class T>
  std::vector<T> as() const {
    if (dtype.substr(2) != std::to_string(sizeof(T))) throw std::runtime_error("dtype is " + dtype);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

/// Reads an array from bytes. `name` is used in messages.
inline Npy parse_npy(const std::string& content, const std::string& name) {
  if (content.size() < 10 || content.compare(0, 7, "\x93NUMPY\x01") != 0)
    throw std::runtime_error(name + " is no .npy of version 1");
  const auto header_size = static_cast<std::size_t>(static_cast<unsigned char>(content[8])) +
                           256 * static_cast<std::size_t>(static_cast<unsigned char>(content[9]));
  const std::string header = content.substr(10, header_size);
  Npy array;
  const std::size_t descr = header.find("'descr': '") + 10;
  array.dtype = header.substr(descr, header.find('\'', descr) - descr);
  if (header.find("'fortran_order': False") == std::string::npos)
    throw std::runtime_error(name + " is not in C order");
  std::size_t at = header.find("'shape': (") + 10;
  while (header[at] != ')') {
    std::size_t digits = 0;
    array.shape.push_back(std::stoul(header.substr(at), &digits));
    at += digits;
    while (header[at] == ',' || header[at] == ' ') ++at;
  }
  array.bytes = content.substr(10 + header_size);
  return array;
}

inline Npy read_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + text_of_path(path));
  return parse_npy(std::string(std::istreambuf_iterator<char>(file), {}), text_of_path(path));
}

}  // namespace embd::test
