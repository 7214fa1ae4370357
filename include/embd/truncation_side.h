#pragma once

#include <cstdint>

namespace embd {

/// Which end of a text that is longer than max_length is cut off.
enum class TruncationSide : std::uint8_t { right, left };

}  // namespace embd
