#pragma once

#include <cstdint>

#include "embd/enum_names.h"

namespace embd {

/// The end at which a text that is longer than max_length is cut: right drops its last tokens, left
/// its first.
enum class TruncationSide : std::uint8_t { right, left };
/// The words for the ends in files and options.
inline constexpr EnumNames<TruncationSide, 2> truncation_side_names = {
    {{"right", TruncationSide::right}, {"left", TruncationSide::left}}};

}  // namespace embd
