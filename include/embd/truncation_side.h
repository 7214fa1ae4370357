#pragma once

#include <cstdint>

#include "embd/enum_names.h"

namespace embd {

/// Which end of a text that is longer than max_length is cut off.
enum class TruncationSide : std::uint8_t { right, left };
inline constexpr EnumNames<TruncationSide, 2> truncation_side_names = {
    {{"right", TruncationSide::right}, {"left", TruncationSide::left}}};

}  // namespace embd
