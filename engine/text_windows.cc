#include "engine/text_windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "base/try.h"
#include "base/utf8.h"
#include "engine/heads/pooling.h"

namespace embd {

WindowCutter::WindowCutter(TokenizerWorker& tokenizer, const EncodePlan& plan)
    : tokenizer_(&tokenizer),
      prompt_(plan.run.text.prompt),
      strict_utf8_(plan.run.text.strict_utf8),
      with_ranges_(plan.windows == Windows::rows),
      max_length_(plan.run.text.max_length) {}

Result<WindowCutter> WindowCutter::create(TokenizerWorker& tokenizer, const EncodePlan& plan) {
  WindowCutter cutter(tokenizer, plan);
  EMBD_TRY(cutter.tokenize(cutter.prompt_, {}));
  cutter.prompt_ids_ = cutter.ids_;
  const std::size_t around = tokenizer.special_tokens().num_special();
  const std::size_t num_prompt = cutter.prompt_ids_.size();
  if (num_prompt + around >= cutter.max_length_) {
    return fail(ErrorCode::invalid_argument,
                "the prompt has {} tokens, which leaves no room for a text in windows "
                "of {} tokens: choose longer windows or a shorter prompt",
                num_prompt, cutter.max_length_);
  }
  cutter.room_ = cutter.max_length_ - around - num_prompt;
  cutter.stride_ = plan.stride == 0 ? cutter.room_ : plan.stride;
  if (cutter.stride_ <= cutter.room_) return cutter;
  return fail(ErrorCode::invalid_argument,
              "the stride is {} tokens, expected at most {}, the tokens of a text that "
              "fit in a window, because otherwise tokens would be left out",
              cutter.stride_, cutter.room_);
}

Result<void> WindowCutter::tokenize(std::string_view text, std::string_view prompt) {
  ids_.clear();
  ranges_.clear();
  EMBD_TRY(tokenizer_->encode_plain(text, prompt,
                                    {.ids = &ids_, .ranges = with_ranges_ ? &ranges_ : nullptr}));
  return {};
}

Result<void> WindowCutter::cut(std::string_view text) {
  if (strict_utf8_) EMBD_TRY(require_utf8(text));
  text_ = text;
  begins_ = {};
  ends_ = {};
  EMBD_TRY(tokenize(text, prompt_));
  const std::size_t whole = ids_.size() + tokenizer_->special_tokens().num_special();
  text_tokens_ = static_cast<std::uint32_t>(std::min<std::size_t>(whole, UINT32_MAX));
  size_ = 1;
  is_whole_ = whole <= max_length_;
  if (is_whole_) return {};
  // The prompt stands before every window, so its tokens are not the text's.
  if (!prompt_ids_.empty()) EMBD_TRY(tokenize(text, {}));
  if (ids_.size() > room_)
    size_ += static_cast<std::uint32_t>((ids_.size() - room_ + stride_ - 1) / stride_);
  return {};
}

TokenRange WindowCutter::tokens_of(std::uint32_t window) const noexcept {
  if (is_whole_) return {0, ids_.size()};
  const std::size_t begin = window * stride_;
  return {begin, std::min(begin + room_, ids_.size())};
}

void WindowCutter::append_ids(std::uint32_t window, std::vector<std::int32_t>& ids) const {
  const auto append = [&ids](std::span<const std::int32_t> more) {
    ids.insert(ids.end(), more.begin(), more.end());
  };
  const TokenTemplate& special = tokenizer_->special_tokens();
  const TokenRange tokens = tokens_of(window);
  append(special.before);
  if (!is_whole_) append(prompt_ids_);
  append(std::span<const std::int32_t>(ids_).subspan(tokens.begin, tokens.end - tokens.begin));
  append(special.after);
}

std::size_t WindowCutter::CharacterCount::before(std::size_t byte, std::string_view text) noexcept {
  if (byte < bytes) *this = {};
  characters += count_characters(text.substr(bytes, byte - bytes));
  bytes = byte;
  return characters;
}

TextPlace WindowCutter::place(std::uint32_t window) {
  const TokenRange tokens = tokens_of(window);
  const auto ranges =
      std::span<const ByteRange>(ranges_).subspan(tokens.begin, tokens.end - tokens.begin);
  const auto is_of_text = [](const ByteRange& range) { return range.begin < range.end; };
  const auto first = std::ranges::find_if(ranges, is_of_text);
  if (first == ranges.end()) return {};
  const auto last = std::ranges::find_if(ranges.rbegin(), ranges.rend(), is_of_text);
  return {.bytes = {first->begin, last->end},
          .characters = {begins_.before(first->begin, text_), ends_.before(last->end, text_)}};
}

Result<bool> TextWindows::open_text() {
  if (!EMBD_TRY(source_.next(text_))) return false;
  ++num_texts_;
  auto done = cutter_.cut(text_);
  if (!done) return std::unexpected(std::move(done).error().at_line(num_texts_));
  next_ = {.windows = cutter_.size(), .text_tokens = cutter_.text_tokens()};
  return true;
}

Result<bool> TextWindows::next(std::vector<std::int32_t>& ids) {
  if (next_.window == next_.windows && !EMBD_TRY(open_text())) return false;
  ids.clear();
  cutter_.append_ids(next_.window, ids);
  if (plan_.windows == Windows::rows) next_.in_text = cutter_.place(next_.window);
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
  if (plan_.pooling.normalize) normalize(std::span(means_).last(row.size()));
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
                          .windows = place.windows,
                          .place = place.in_text});
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
