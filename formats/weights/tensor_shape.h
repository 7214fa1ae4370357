#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace embd {

/// The shape of a tensor: one to four dimensions, none of them 0.
struct TensorShape {
  TensorShape() = default;
  TensorShape(std::initializer_list<std::uint32_t> list);

  std::array<std::uint32_t, 4> dims{};  ///< The dimensions; 0 beyond `rank`.
  unsigned rank = 0;

  std::span<const std::uint32_t> view() const noexcept { return {dims.data(), rank}; }
  bool operator==(const TensorShape&) const = default;
  /// Returns the shape as a text, such as "[384, 1536]".
  std::string text() const;
};

}  // namespace embd
