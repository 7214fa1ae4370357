#include "base/utf8.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <cstdint>
#include <cstring>

namespace embd {

std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size()) {
    // Eight ASCII bytes at a time: most text is.
    std::uint64_t eight;
    while (i + sizeof(eight) <= text.size()) {
      std::memcpy(&eight, text.data() + i, sizeof(eight));
      if ((eight & 0x8080808080808080U) != 0) break;
      i += sizeof(eight);
    }
    if (i == text.size()) break;
    utf8proc_int32_t code_point;
    const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + i,
                                       static_cast<utf8proc_ssize_t>(text.size() - i), &code_point);
    if (size < 0) return i;
    i += static_cast<std::size_t>(size);
  }
  return std::nullopt;
}

Result<void> require_utf8(std::string_view text) {
  const auto offset = find_invalid_utf8(text);
  if (!offset) return {};
  const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text[*offset]));
  return std::unexpected(
      Error(ErrorCode::invalid_utf8, fmt::format("byte {:#04x} is not part of valid UTF-8", byte))
          .at_offset(*offset));
}

}  // namespace embd
