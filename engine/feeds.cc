#include "engine/feeds.h"

#include "base/utf8.h"

namespace embd {

Result<void> check_utf8(const Input& input, std::uint64_t number) {
  const auto check = [number](std::string_view text) -> Result<void> {
    auto checked = require_utf8(text);
    if (!checked) return std::unexpected(std::move(checked).error().at_line(number));
    return {};
  };
  if (const auto* text = std::get_if<std::string_view>(&input)) return check(*text);
  if (const auto* pair = std::get_if<TextPair>(&input)) {
    EMBD_TRY(check(pair->first));
    return check(pair->second);
  }
  return {};
}

Result<bool> SpanFeed::fill(std::size_t /*slot*/, InputBuffer& buffer) {
  if (std::exchange(given_, true) || buffer_.inputs.size() == 0) return false;
  if (options_.strict_utf8) {
    for (std::size_t i = 0; i < buffer_.inputs.size(); ++i)
      EMBD_TRY(check_utf8(buffer_.inputs[i], i + 1));
  }
  buffer = buffer_;
  return true;
}

}  // namespace embd
