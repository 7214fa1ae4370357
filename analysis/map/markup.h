#pragma once

#include <string>
#include <string_view>

namespace embd {

/// Returns a text as content of HTML, XML or an attribute in double quotes. What XML has no place
/// for, control characters and bytes that are no UTF-8, becomes U+FFFD.
std::string escaped_markup(std::string_view text);

}  // namespace embd
