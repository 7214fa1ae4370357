#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace embd::cli {

/// Prints `text` on standard error. Where that is closed, full or read by nobody, the text is lost
/// and the work goes on.
void print_to_standard_error(std::string_view text) noexcept;

/// Writes a formatted line to standard error; see fmt::format().
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_to_standard_error(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace embd::cli
