#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "embd/model_types.h"
#include "embd/tokens.h"

namespace embd {

/// The largest number of tokens of a text to keep, and the end at which a longer text is cut.
struct TokenLimit {
  std::int64_t tokens = std::numeric_limits<std::int64_t>::max();
  TruncationSide side = TruncationSide::right;

  bool operator==(const TokenLimit&) const = default;
};

/// Receives the tokens of a text from a TextTokenizer. It counts all of them and appends those
/// within the limit: the first ones, or the last ones if the left side is cut off. It is inline,
/// because it handles a token in one or two nanoseconds.
class TokenSink {
 public:
  /// `ranges` may be null if they are not needed. They are counted from `text_begin`, where the
  /// text begins after its prompt.
  TokenSink(const TokenLimit& limit, std::vector<std::int32_t>& ids, std::vector<ByteRange>* ranges,
            const char* text_begin) noexcept
      : ids_(ids),
        ranges_(ranges),
        first_id_(std::ssize(ids)),
        first_range_(ranges == nullptr ? 0 : std::ssize(*ranges)),
        text_begin_(text_begin),
        limit_(limit.tokens),
        keeps_last_(limit.side == TruncationSide::left && limit.tokens != TokenLimit().tokens) {}

  void add(std::int32_t id) { add(std::span(&id, 1)); }
  void add(std::span<const std::int32_t> ids) {
    for (; ids.size() > buffer_.size() - used_; flush()) {
      const std::size_t fitting = buffer_.size() - used_;
      std::ranges::copy(ids.first(fitting), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
      used_ += fitting;
      ids = ids.subspan(fitting);
    }
    std::ranges::copy(ids, buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += ids.size();
  }
  /// Adds the first `count` ids of `ids`.
  template <std::size_t size>
  void add_first(std::size_t count, const std::array<std::int32_t, size>& ids) {
    if (size > buffer_.size() - used_) flush();
    // Copies all of them, whatever `count` is: that is a single store, and the next ids overwrite
    // the rest.
    std::ranges::copy(ids, buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += count;
  }

  bool wants_ranges() const noexcept { return ranges_ != nullptr; }
  /// Adds the place of the first token that was added without one: the part of the text that it
  /// stands for, or an empty part.
  void add_range(std::string_view part) {
    if (!keeps_last_ && std::ssize(*ranges_) - first_range_ >= limit_) return;
    const char* const end = part.data() + part.size();
    if (part.empty() || end <= text_begin_) {
      ranges_->emplace_back();
      return;
    }
    ranges_->push_back({static_cast<std::size_t>(std::max(part.data(), text_begin_) - text_begin_),
                        static_cast<std::size_t>(end - text_begin_)});
  }

  /// Ends the text. To be called once.
  void finish() {
    flush();
    if (keeps_last_) drop_first();
  }
  /// Returns the number of tokens of the whole text; valid after finish().
  std::int64_t count() const noexcept { return count_; }
  bool truncated() const noexcept { return count_ > limit_; }

 private:
  void flush() {
    const std::int64_t room = keeps_last_ ? std::ssize(buffer_) : limit_ - std::min(limit_, count_);
    const auto kept = std::min(static_cast<std::int64_t>(used_), room);
    ids_.insert(ids_.end(), buffer_.begin(), buffer_.begin() + kept);
    count_ += static_cast<std::int64_t>(used_);
    used_ = 0;
    // It happens so rarely that moving the tokens costs little.
    if (keeps_last_ && std::ssize(ids_) - first_id_ > 2 * limit_ + std::ssize(buffer_))
      drop_first();
  }
  /// Removes the tokens before the last `limit_` ones that have left the buffer.
  void drop_first() {
    const std::int64_t excess = std::ssize(ids_) - first_id_ - limit_;
    if (excess <= 0) return;
    ids_.erase(ids_.begin() + first_id_, ids_.begin() + first_id_ + excess);
    if (ranges_ == nullptr) return;
    ranges_->erase(ranges_->begin() + first_range_, ranges_->begin() + first_range_ + excess);
  }

  std::vector<std::int32_t>& ids_;
  std::vector<ByteRange>* ranges_;
  const std::ptrdiff_t first_id_;
  const std::ptrdiff_t first_range_;
  const char* text_begin_;
  const std::int64_t limit_;
  const bool keeps_last_;
  std::int64_t count_ = 0;
  std::size_t used_ = 0;
  std::array<std::int32_t, 400> buffer_;
};

}  // namespace embd
