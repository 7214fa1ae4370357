#pragma once

#include <zlib.h>

#include <map>

#include "base/path_text.h"
#include "tests/support/npy.h"

namespace embd::test {

/// Reads the arrays of an .npz file by their names. It is a zip file of stored or deflated .npy
/// files, read by its central directory. Throws if the file is anything else.
inline std::map<std::string, Npy> read_npz(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string zip(std::istreambuf_iterator<char>(file), {});
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= static_cast<std::size_t>(static_cast<unsigned char>(zip.at(at + i))) << (8 * i);
    }
    return value;
  };
  const auto inflate_raw = [&](std::string packed, std::size_t size) {
    std::string plain(size, '\0');
    z_stream stream = {};
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(plain.data());
    stream.avail_out = static_cast<uInt>(plain.size());
    const bool good =
        inflateInit2(&stream, -MAX_WBITS) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END;
    inflateEnd(&stream);
    if (!good) throw std::runtime_error("cannot inflate a part of " + text_of_path(path));
    return plain;
  };

  const std::size_t end = zip.rfind("PK\5\6");
  if (end == std::string::npos) throw std::runtime_error(text_of_path(path) + " is no zip file");
  std::map<std::string, Npy> arrays;
  std::size_t entry = number(end + 16, 4);
  for (std::size_t i = 0; i < number(end + 10, 2); ++i) {
    const std::size_t method = number(entry + 10, 2);
    const std::size_t packed_size = number(entry + 20, 4);
    const std::size_t name_size = number(entry + 28, 2);
    const std::size_t local = number(entry + 42, 4);
    const std::string name = zip.substr(entry + 46, name_size);
    const std::size_t data = local + 30 + number(local + 26, 2) + number(local + 28, 2);
    const std::string packed = zip.substr(data, packed_size);
    arrays[name.substr(0, name.rfind(".npy"))] =
        parse_npy(method == 0 ? packed : inflate_raw(packed, number(entry + 24, 4)), name);
    entry += 46 + name_size + number(entry + 30, 2) + number(entry + 32, 2);
  }
  return arrays;
}

}  // namespace embd::test
