#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace embd::cli {

/// Prints `text` on standard error. If that is impossible, because standard error is closed or its
/// disk is full, the text is lost and no error is reported.
void print_to_standard_error(std::string_view text) noexcept;

/// Prints a formatted text on standard error; the arguments are passed to fmt::format().
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_to_standard_error(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace embd::cli
