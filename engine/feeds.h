#pragma once

#include <array>
#include <string>

#include "engine/pipeline.h"

namespace embd {

/// How texts are read and rows kept.
struct FeedOptions {
  std::size_t dim = 0;
  std::int64_t max_length = 0;
  /// Tokens of a window of a stream, estimated.
  std::int64_t window_tokens = 0;
  /// A text that is not UTF-8 is an error: invalid_utf8 with the byte's offset in the text and, as
  /// line, the text's number from 1.
  bool strict_utf8 = false;
};

/// All texts of a call in one window, rows straight into the caller's memory.
class SpanFeed final : public Feed {
 public:
  SpanFeed(std::span<const std::string_view> texts, std::span<float> rows,
           std::span<RowReport> reports, const FeedOptions& options)
      : window_{texts, rows, reports}, options_(options) {}

  std::size_t slots() const noexcept override { return 1; }
  Result<bool> fill(std::size_t slot, Window& window) override;
  Result<void> deliver(std::size_t, const Window&) override { return {}; }

 private:
  Window window_;
  const FeedOptions options_;
  bool given_ = false;
};

/// From a source to a sink, a bounded number of texts at a time.
class StreamFeed final : public Feed {
 public:
  StreamFeed(TextSource& source, RowSink& sink, const FeedOptions& options)
      : source_(source), sink_(sink), options_(options) {}

  std::size_t slots() const noexcept override { return slots_.size(); }
  Result<bool> fill(std::size_t slot, Window& window) override;
  Result<void> deliver(std::size_t slot, const Window& window) override;

 private:
  struct Storage {
    std::vector<std::string> texts;  // keeps its strings, for their memory
    std::vector<std::string_view> views;
    std::vector<float> rows;
    std::vector<RowReport> reports;
  };

  TextSource& source_;
  RowSink& sink_;
  const FeedOptions options_;
  /// One that is read, one that is encoded, one that waits for a straggler.
  std::array<Storage, 3> slots_;
  std::uint64_t texts_read_ = 0;
  bool ended_ = false;
};

}  // namespace embd
