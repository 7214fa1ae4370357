#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "embd/error.h"

namespace embd::server {

/// The API keys that the server accepts. Only their hashes are kept. Any number of threads may call
/// open() at once after all keys were added.
class Keys {
 public:
  /// Adds the keys of a file, one on each line. Empty lines and lines that begin with "#" are
  /// ignored. Fails with missing if the file has no key, and with the error and line of a key that
  /// add() refuses.
  Result<void> add_file(const std::filesystem::path& path);
  /// Adds a key, without the blanks around it. Fails with invalid_argument if nothing but blanks is
  /// left, or if the key has a control character, which a header of a request cannot contain.
  Result<void> add(std::string_view key);

  bool empty() const noexcept { return hashes_.empty(); }
  /// Returns true if the value of a field Authorization is one of the keys, alone or after the word
  /// Bearer. It takes the same time for a wrong key as for a right one, so that the time tells
  /// nothing about the keys.
  bool open(std::string_view authorization) const;

 private:
  std::vector<std::array<std::byte, 32>> hashes_;
};

}  // namespace embd::server
