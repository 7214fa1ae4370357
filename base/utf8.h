#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "embd/error.h"

namespace embd {

/// Offset of the first byte that is not part of well-formed UTF-8 (overlong forms, surrogates and
/// values over U+10FFFF are not), or nothing if the text is.
std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept;

/// invalid_utf8 with the offset in `text` of that byte, if there is one.
Result<void> require_utf8(std::string_view text);

}  // namespace embd
