#pragma once

#include <string>
#include <string_view>

namespace embd {

/// Appends `text` as a JSON string in quotes. What is no UTF-8 is replaced by U+FFFD, since JSON
/// could not hold it.
void append_json_string(std::string_view text, std::string& out);

}  // namespace embd
