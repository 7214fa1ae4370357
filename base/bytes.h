#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace embd {

/// A view of bytes, usually of a file, that somebody else owns.
using Bytes = std::span<const std::byte>;

inline Bytes as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string_view as_text(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace embd
