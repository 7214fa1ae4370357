#pragma once

#include <string>
#include <string_view>

namespace embd::cli {

/// Returns a text in a form that can be printed in a line of a message or a table. Control
/// characters (Unicode category Cc) become escapes such as \n, \t and \x1b, because they would end
/// the line or control the terminal. For texts from files, names and arguments.
std::string printable(std::string_view text);

}  // namespace embd::cli
