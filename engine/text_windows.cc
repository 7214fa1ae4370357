#include "engine/text_windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "base/try.h"
#include "engine/heads/pooling.h"

namespace embd {
namespace {

/// [CLS] and [SEP].
constexpr std::size_t num_special_tokens = 2;

void append_bytes(std::span<const std::int32_t> ids, std::string& out) {
  out.append(reinterpret_cast<const char*>(ids.data()), ids.size_bytes());
}

}  // namespace

Result<void> TextWindows::prepare() {
  EMBD_TRY(tokenize(plan_.prompt, {}));
  prompt_.assign(ids_.begin() + 1, ids_.end() - 1);
  const auto max_length = static_cast<std::size_t>(plan_.max_length);
  if (prompt_.size() + num_special_tokens >= max_length) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the prompt's {} tokens leave no room in windows of {}", prompt_.size(),
                            max_length));
  }
  room_ = max_length - num_special_tokens - prompt_.size();
  stride_ = plan_.stride == 0 ? room_ : plan_.stride;
  if (stride_ <= room_) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("a stride of {} leaves tokens out: a window has room for {} of a text",
                          stride_, room_));
}

Result<RowReport> TextWindows::tokenize(std::string_view text, std::string_view prompt) {
  EncodePlan uncut = plan_;
  uncut.max_length = 0;
  uncut.prompt = prompt;
  const RowReport report = EMBD_TRY(worker_.tokenize(text, uncut));
  ids_.assign(worker_.ids().begin(), worker_.ids().end());
  return report;
}

Result<bool> TextWindows::open_text() {
  if (!EMBD_TRY(source_.next(text_))) return false;
  ++num_texts_;
  auto report = tokenize(text_, plan_.prompt);
  if (!report) return std::unexpected(std::move(report).error().at_line(num_texts_));
  next_ = {.window = 0, .windows = 1, .text_tokens = report->tokens};
  is_whole_ = ids_.size() <= static_cast<std::size_t>(plan_.max_length);
  if (is_whole_) return true;
  // The prompt stands before every window, so its tokens are not the text's.
  if (!prompt_.empty()) EMBD_TRY(tokenize(text_, {}));
  const std::size_t tokens = ids_.size() - num_special_tokens;
  if (tokens > room_)
    next_.windows += static_cast<std::uint32_t>((tokens - room_ + stride_ - 1) / stride_);
  return true;
}

Result<bool> TextWindows::next(std::string& ids) {
  if (next_.window == next_.windows && !EMBD_TRY(open_text())) return false;
  ids.clear();
  if (is_whole_) {
    append_bytes(ids_, ids);
  } else {
    const std::span<const std::int32_t> all = ids_;
    const auto text =
        all.subspan(1, all.size() - num_special_tokens).subspan(next_.window * stride_);
    append_bytes(all.first(1), ids);
    append_bytes(prompt_, ids);
    append_bytes(text.first(std::min(room_, text.size())), ids);
    append_bytes(all.last(1), ids);
  }
  const std::lock_guard lock(mutex_);
  places_.push_back(next_);
  ++next_.window;
  return true;
}

TextWindows::Place TextWindows::take_place() {
  const std::lock_guard lock(mutex_);
  const Place place = places_.front();
  places_.pop_front();
  return place;
}

void TextWindows::add_to_mean(std::span<const float> row, const Place& place) {
  if (place.windows == 1) {  // A mean of one, bit for bit.
    means_.insert(means_.end(), row.begin(), row.end());
    return;
  }
  if (place.window == 0) sum_.assign(row.size(), 0);
  for (std::size_t i = 0; i < row.size(); ++i) sum_[i] += static_cast<double>(row[i]);
  if (place.window + 1 < place.windows) return;
  for (const double sum : sum_) means_.push_back(static_cast<float>(sum / place.windows));
  if (plan_.normalize) normalise(std::span(means_).last(row.size()));
}

Result<void> TextWindows::write(MatrixView rows, std::span<const RowReport> reports) {
  means_.clear();
  reports_.clear();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const Place place = take_place();
    if (plan_.windows == Windows::rows) {
      reports_.push_back({.tokens = reports[i].tokens,
                          .truncated = false,
                          .window = place.window,
                          .windows = place.windows});
      continue;
    }
    add_to_mean(rows.row(i), place);
    if (place.window + 1 == place.windows)
      reports_.push_back(
          {.tokens = place.text_tokens, .truncated = false, .window = 0, .windows = place.windows});
  }
  num_rows_ += reports_.size();
  if (reports_.empty()) return {};
  return sink_.write(plan_.windows == Windows::rows
                         ? rows
                         : MatrixView(means_.data(), reports_.size(), rows.cols()),
                     reports_);
}

}  // namespace embd
