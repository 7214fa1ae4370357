#include "engine/text_windows.h"

#include <algorithm>
#include <span>

#include "base/try.h"
#include "engine/heads/pooling.h"

namespace embd {

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
