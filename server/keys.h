#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "embd/error.h"

namespace embd::server {

/// The API keys that open the server, kept as their hashes. Immutable once filled.
class Keys {
 public:
  /// One key a line; empty lines and those that begin with "#" are none. Errors: a file without
  /// any, a key that add() refuses, at its line.
  Result<void> add_file(const std::filesystem::path& path);
  /// Blanks around the key do not count. Errors: nothing but blanks, a control character, which no
  /// field of a request can carry.
  Result<void> add(std::string_view key);

  bool empty() const noexcept { return hashes_.empty(); }
  /// Whether the value of an Authorization field is "Bearer " and one of the keys, or one of the
  /// keys alone. Takes as long for a wrong key as for a right one.
  bool open(std::string_view authorization) const;

 private:
  std::vector<std::array<std::byte, 32>> hashes_;
};

}  // namespace embd::server
