#pragma once

#include <string>
#include <string_view>

namespace embd {

/// Returns a text escaped for use in HTML, XML or an attribute in double quotes. Control characters
/// and bytes that are not UTF-8, which XML cannot contain, become U+FFFD.
std::string escaped_markup(std::string_view text);

}  // namespace embd
