#pragma once

#include <cstdint>

#include "embd/enum_names.h"

namespace embd {

/// The end that a text loses if it is longer than max_length.
enum class TruncationSide : std::uint8_t { right, left };
inline constexpr EnumNames<TruncationSide, 2> truncation_side_names = {
    {{"right", TruncationSide::right}, {"left", TruncationSide::left}}};

}  // namespace embd
