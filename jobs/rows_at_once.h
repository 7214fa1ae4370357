#pragma once

#include <algorithm>
#include <cstdint>

namespace embd {

/// Returns the number of rows to decode at a time when they are copied from file to file: about 4
/// MB.
constexpr std::uint64_t rows_at_once(std::uint64_t dim) noexcept {
  return std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / std::max<std::uint64_t>(1, dim));
}

}  // namespace embd
