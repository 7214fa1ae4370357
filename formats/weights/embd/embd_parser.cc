#include "formats/weights/embd/embd_parser.h"

#include <fmt/format.h>

namespace embd {

std::unexpected<Error> fail_at(ErrorCode code, std::uint64_t start, const embd_layout::Field& field,
                               std::string_view found) {
  return std::unexpected(
      Error(code, fmt::format("{}: {}", field.name, found)).at_offset(start + field.at));
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 120;
  std::string out;
  for (const char c : text.substr(0, longest)) {
    const bool plain = c >= ' ' && c <= '~';
    out += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > longest ? out + "…" : out;
}

}  // namespace embd
