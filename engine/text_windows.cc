#include "engine/text_windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "base/try.h"
#include "base/utf8.h"
#include "engine/heads/pooling.h"

namespace embd {

Result<void> TextWindows::prepare() {
  EMBD_TRY(tokenize(plan_.run.text.prompt, {}, prompt_));
  const std::size_t max_length = plan_.run.text.max_length;
  const std::size_t around = tokenizer_.special_tokens().num_special();
  if (prompt_.size() + around >= max_length) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the prompt's {} tokens leave no room in windows of {}", prompt_.size(),
                            max_length));
  }
  room_ = max_length - around - prompt_.size();
  stride_ = plan_.stride == 0 ? room_ : plan_.stride;
  if (stride_ <= room_) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("a stride of {} leaves tokens out: a window has room for {} of a text",
                          stride_, room_));
}

Result<void> TextWindows::tokenize(std::string_view text, std::string_view prompt,
                                   std::vector<std::int32_t>& ids) {
  ids.clear();
  EMBD_TRY(tokenizer_.encode_plain(text, prompt, {&ids}));
  return {};
}

Result<void> TextWindows::tokenize_text() {
  if (plan_.run.text.strict_utf8) EMBD_TRY(require_utf8(text_));
  EMBD_TRY(tokenize(text_, plan_.run.text.prompt, ids_));
  const std::size_t around = tokenizer_.special_tokens().num_special();
  const std::size_t whole = ids_.size() + around;
  next_ = {.window = 0,
           .windows = 1,
           .text_tokens = static_cast<std::uint32_t>(std::min<std::size_t>(whole, UINT32_MAX))};
  is_whole_ = whole <= plan_.run.text.max_length;
  if (is_whole_) return {};
  // The prompt stands before every window, so its tokens are not the text's.
  if (!prompt_.empty()) EMBD_TRY(tokenize(text_, {}, ids_));
  if (ids_.size() > room_)
    next_.windows += static_cast<std::uint32_t>((ids_.size() - room_ + stride_ - 1) / stride_);
  return {};
}

Result<bool> TextWindows::open_text() {
  if (!EMBD_TRY(source_.next(text_))) return false;
  ++num_texts_;
  auto tokenized = tokenize_text();
  if (!tokenized) return std::unexpected(std::move(tokenized).error().at_line(num_texts_));
  return true;
}

Result<bool> TextWindows::next(std::vector<std::int32_t>& ids) {
  if (next_.window == next_.windows && !EMBD_TRY(open_text())) return false;
  const auto append = [&ids](std::span<const std::int32_t> more) {
    ids.insert(ids.end(), more.begin(), more.end());
  };
  const TokenTemplate& special = tokenizer_.special_tokens();
  ids.clear();
  append(special.before);
  if (is_whole_) {
    append(ids_);
  } else {
    const auto rest = std::span<const std::int32_t>(ids_).subspan(next_.window * stride_);
    append(prompt_);
    append(rest.first(std::min(room_, rest.size())));
  }
  append(special.after);
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
  if (plan_.pooling.normalize) normalise(std::span(means_).last(row.size()));
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
