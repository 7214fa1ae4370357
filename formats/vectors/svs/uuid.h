#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd::svs {

/// A UUID: its 16 bytes in the order of its text. A binary file stores them reversed.
struct Uuid {
  std::array<std::uint8_t, 16> bytes = {};

  bool operator==(const Uuid&) const = default;

  /// Parses 8-4-4-4-12 hexadecimal digits, in upper or lower case. Fails with bad_value.
  static Result<Uuid> parse(std::string_view text);
  static Uuid from_stored(Bytes sixteen) noexcept;
  /// Makes a UUID of version 4 from a hash of the named content, so that equal content gives equal
  /// files.
  static Uuid from_digest(std::span<const std::byte, 32> sha256) noexcept;

  std::array<std::uint8_t, 16> stored() const noexcept;
  std::string text() const;
};

}  // namespace embd::svs
