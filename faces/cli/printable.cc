#include "faces/cli/printable.h"

#include <fmt/format.h>

namespace embd::cli {
namespace {

/// Returns the number of bytes of the control character at the beginning of `text`, in UTF-8: 2 for
/// U+0080 to U+009F, 1 for others, 0 if there is none.
std::size_t control_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  return byte(0) == 0xc2 && text.size() > 1 && byte(1) >= 0x80 && byte(1) < 0xa0 ? 2 : 0;
}

std::string escape_of(unsigned char control) {
  switch (control) {
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    default:
      return fmt::format("\\x{:02x}", control);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = control_bytes(text);
    if (bytes == 0) {
      shown += text.front();
      text.remove_prefix(1);
    } else {
      shown += escape_of(static_cast<unsigned char>(text[bytes - 1]));
      text.remove_prefix(bytes);
    }
  }
  return shown;
}

}  // namespace embd::cli
