#pragma once

#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.h"
#include "engine/pipeline.h"

namespace embd {

/// The way in which inputs are read and rows are stored.
struct FeedOptions {
  std::size_t width = 0;  ///< floats in a row
  TokenEstimate estimate;
  /// The number of tokens, as estimated, after which a buffer of a stream ends.
  std::int64_t buffer_tokens = 0;
  /// Fail with invalid_utf8 for a text that is not UTF-8. The offset of the error is the place of
  /// the byte in the text; its line is the number of the input, from 1.
  bool strict_utf8 = false;
};

/// A feed of all inputs of a call in one buffer. Rows are written into the caller's memory
/// directly.
class SpanFeed final : public Feed {
 public:
  SpanFeed(const Inputs& inputs, std::span<float> rows, std::span<RowReport> reports,
           const FeedOptions& options)
      : buffer_{inputs, rows, reports}, options_(options) {}

  std::size_t slots() const noexcept override { return 1; }
  Result<bool> fill(std::size_t slot, InputBuffer& buffer) override;
  Result<void> deliver(std::size_t, const InputBuffer&) override { return {}; }

 private:
  InputBuffer buffer_;
  const FeedOptions options_;
  bool given_ = false;
};

/// A pair of texts that owns its memory.
struct OwnedPair {
  std::string first;
  std::string second;
};

namespace internal {

inline std::string_view view_of(const std::string& text) noexcept {
  return text;
}
inline TokenSpan view_of(const std::vector<std::int32_t>& ids) noexcept {
  return {.ids = ids};
}
inline TextPair view_of(const OwnedPair& pair) noexcept {
  return {pair.first, pair.second};
}

/// Returns the approximate number of bytes that an item has allocated.
inline std::size_t memory_of(const std::string& text) noexcept {
  return text.capacity();
}
inline std::size_t memory_of(const std::vector<std::int32_t>& ids) noexcept {
  return ids.capacity() * sizeof(std::int32_t);
}
inline std::size_t memory_of(const OwnedPair& pair) noexcept {
  return pair.first.capacity() + pair.second.capacity();
}

/// The size of texts at which a buffer ends, even if few of their tokens remain after cutting.
inline constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
/// The size from which on an input gives its memory back when its buffer is finished.
inline constexpr std::size_t kept_bytes = std::size_t{64} << 10;

}  // namespace internal

/// Fails with invalid_utf8 for a text that is not UTF-8. `number` is the number of the input, from
/// 1.
Result<void> check_utf8(const Input& input, std::uint64_t number);

/// A source that stores its next item in `item`, whose memory is reused, and returns true; it
/// returns false at the end.
template <class Source, class Item>
concept SourceOf = requires(Source& source, Item& item) {
  { source.next(item) } -> std::same_as<Result<bool>>;
  { internal::view_of(item) } -> std::convertible_to<Input>;
};

/// A feed from a source of items to a sink, with a limited number of items at a time.
template <class Item, SourceOf<Item> Source>
class StreamFeed final : public Feed {
 public:
  StreamFeed(Source& source, RowSink& sink, const FeedOptions& options)
      : source_(source), sink_(sink), options_(options) {}

  std::size_t slots() const noexcept override { return slots_.size(); }

  Result<bool> fill(std::size_t slot, InputBuffer& buffer) override {
    Storage& storage = slots_[slot];
    storage.numbers.clear();
    std::size_t count = 0;
    std::size_t bytes = 0;
    for (std::int64_t tokens = 0;
         !ended_ && tokens < options_.buffer_tokens && bytes < internal::buffer_bytes; ++count) {
      if (count == storage.items.size()) storage.items.emplace_back();
      if (!EMBD_TRY(source_.next(storage.items[count]))) {
        ended_ = true;
        break;
      }
      const Input input = internal::view_of(storage.items[count]);
      storage.numbers.push_back(text_number());
      if (options_.strict_utf8) EMBD_TRY(check_utf8(input, storage.numbers.back() + 1));
      tokens += options_.estimate(input);
      bytes += text_bytes(input);
    }
    if (count == 0) return false;
    // Only now, because a string that holds its text inside itself moves when the vector grows.
    storage.views.clear();
    for (std::size_t i = 0; i < count; ++i)
      storage.views.push_back(internal::view_of(storage.items[i]));
    storage.rows.resize(count * options_.width);
    storage.reports.assign(count, {});
    buffer = {std::span<const View>(storage.views), storage.rows, storage.reports, storage.numbers};
    return true;
  }

  Result<void> deliver(std::size_t slot, const InputBuffer& buffer) override {
    EMBD_TRY(
        sink_.write({buffer.rows.data(), buffer.inputs.size(), options_.width}, buffer.reports));
    for (Item& item : slots_[slot].items) {
      if (internal::memory_of(item) > internal::kept_bytes) item = Item();
    }
    return {};
  }

 private:
  using View = decltype(internal::view_of(std::declval<const Item&>()));
  struct Storage {
    std::vector<Item> items;  // keeps them, for their memory
    std::vector<View> views;
    std::vector<float> rows;
    std::vector<RowReport> reports;
    std::vector<std::uint64_t> numbers;
  };

  /// Returns the number of the text that the last item is, or is a window of.
  std::uint64_t text_number() {
    if constexpr (requires { source_.text_number(); }) return source_.text_number();
    return num_read_++;
  }

  Source& source_;
  RowSink& sink_;
  const FeedOptions options_;
  /// One buffer that is read, one that is encoded, and one that waits for its last rows.
  std::array<Storage, 3> slots_;
  std::uint64_t num_read_ = 0;
  bool ended_ = false;
};

}  // namespace embd
