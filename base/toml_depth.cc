#include "base/toml_depth.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"

namespace embd {
namespace {

/// The largest number of dots of one key. toml++ itself allows 256 nested values, each with such a
/// key.
constexpr int max_dots = 32;

/// Returns the length of the string literal at the beginning of `text`. A literal of one line that
/// is not closed reaches to the end of the line.
std::size_t string_literal_size(std::string_view text) {
  const char quote = text[0];
  const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
  const bool multiline = text.starts_with(triple);
  std::size_t i = multiline ? 3 : 1;
  for (; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (multiline && text.substr(i).starts_with(triple)) {
      i += 3;
      // The string itself may end in one or two quotes.
      for (int more = 0; more < 2 && i < text.size() && text[i] == quote; ++more) ++i;
      return i;
    } else if (!multiline && (text[i] == quote || text[i] == '\n')) {
      return i + (text[i] == quote ? 1 : 0);
    }
  }
  return text.size();
}

}  // namespace

Result<void> check_toml_depth(std::string_view text) {
  int dots = 0;
  std::uint64_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t size = string_literal_size(text.substr(i));
      for (const char inside : text.substr(i, size)) line += inside == '\n' ? 1 : 0;
      i += size;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '.' && ++dots > max_dots) {
      return std::unexpected(
          Error(ErrorCode::bad_toml, fmt::format("a key has more than {} parts", max_dots))
              .at_line(line));
    }
    if (c == '\n') ++line;
    if (c == '\n' || c == '=' || c == ',') dots = 0;
    ++i;
  }
  return {};
}

}  // namespace embd
