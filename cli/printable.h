#pragma once

#include <string>
#include <string_view>

namespace embd::cli {

/// `text` from a file, a name or an argument, for a line of a message or a table: control
/// characters (Unicode's Cc), which would end the line or command the terminal, as \n, \t, \x1b.
std::string printable(std::string_view text);

}  // namespace embd::cli
