#include "analysis/map/markup.h"

#include "base/utf8.h"

namespace embd {
namespace {

constexpr std::string_view replacement = "\uFFFD";

void append_escaped(char c, std::string& out) {
  switch (c) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  const bool is_control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
  if (is_control) {
    out += replacement;
  } else {
    out += c;
  }
}

}  // namespace

std::string escaped_markup(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t good = find_invalid_utf8(text).value_or(text.size());
    for (const char c : text.substr(0, good)) append_escaped(c, out);
    if (good == text.size()) break;
    out += replacement;
    text.remove_prefix(good + 1);
  }
  return out;
}

}  // namespace embd
