#include "engine/feeds.h"

#include <utility>

#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

/// A window ends here even if its texts, cut to the maximum, are few tokens.
constexpr std::size_t window_bytes = std::size_t{4} << 20;
/// Longer strings give their memory back when their window is done.
constexpr std::size_t kept_text_bytes = std::size_t{64} << 10;

Result<void> check_text(std::string_view text, std::uint64_t number_from_1) {
  auto checked = require_utf8(text);
  if (!checked) return std::unexpected(std::move(checked).error().at_line(number_from_1));
  return {};
}

}  // namespace

Result<bool> SpanFeed::fill(std::size_t /*slot*/, Window& window) {
  if (std::exchange(given_, true) || window_.texts.empty()) return false;
  if (options_.strict_utf8) {
    for (std::size_t i = 0; i < window_.texts.size(); ++i) {
      EMBD_TRY(check_text(window_.texts[i], i + 1));
    }
  }
  window = window_;
  return true;
}

Result<bool> StreamFeed::fill(std::size_t slot, Window& window) {
  Storage& storage = slots_[slot];
  std::size_t count = 0;
  std::size_t bytes = 0;
  std::int64_t tokens = 0;
  while (!ended_ && tokens < options_.window_tokens && bytes < window_bytes) {
    if (count == storage.texts.size()) storage.texts.emplace_back();
    std::string& text = storage.texts[count];
    if (!EMBD_TRY(source_.next(text))) {
      ended_ = true;
      break;
    }
    ++texts_read_;
    if (options_.strict_utf8) EMBD_TRY(check_text(text, texts_read_));
    tokens += estimate_tokens(text, options_.max_length);
    bytes += text.size();
    ++count;
  }
  if (count == 0) return false;
  // Only now: a string that holds its text inside itself moves when the vector grows.
  storage.views.assign(storage.texts.begin(),
                       storage.texts.begin() + static_cast<std::ptrdiff_t>(count));
  storage.rows.resize(count * options_.dim);
  storage.reports.assign(count, {});
  window = {storage.views, storage.rows, storage.reports};
  return true;
}

Result<void> StreamFeed::deliver(std::size_t slot, const Window& window) {
  EMBD_TRY(sink_.write({window.rows.data(), window.texts.size(), options_.dim}, window.reports));
  for (std::string& text : slots_[slot].texts) {
    if (text.capacity() > kept_text_bytes) text = std::string();
  }
  return {};
}

}  // namespace embd
