#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"

namespace embd::svs {

/// The 16 bytes of a UUID in the order of its text. A binary file stores them reversed.
struct Uuid {
  std::array<std::uint8_t, 16> bytes = {};

  bool operator==(const Uuid&) const = default;

  /// 8-4-4-4-12 hex digits of either case. Error: bad_value.
  static Result<Uuid> parse(std::string_view text);
  static Uuid from_stored(Bytes sixteen) noexcept;
  /// A version-4 UUID out of a hash of what it names, so that equal content gives equal files.
  static Uuid from_digest(std::span<const std::byte, 32> sha256) noexcept;

  std::array<std::uint8_t, 16> stored() const noexcept;
  std::string text() const;
};

}  // namespace embd::svs
