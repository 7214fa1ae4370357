#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"
#include "embd/tokens.h"
#include "engine/run_plan.h"
#include "tokenizer/tokenizer_worker.h"

namespace embd {

/// Divides texts into windows. Each window has the prompt and as many tokens of the text as fit
/// after it, and begins one stride after the window before it. A text that fits together with its
/// prompt is one window.
class WindowCutter {
 public:
  /// `tokenizer` must outlive the cutter. Fails with invalid_argument for a prompt that leaves no
  /// room for text, and for a stride that would leave out tokens.
  static Result<WindowCutter> create(TokenizerWorker& tokenizer, const EncodePlan& plan);

  /// Tokenizes a text and divides it into windows, which the other functions return until the next
  /// call. `text` must stay valid until then. Fails with the errors of
  /// TokenizerWorker::encode_plain(), and with invalid_utf8 in strict mode.
  Result<void> cut(std::string_view text);

  /// Returns the number of windows.
  std::uint32_t size() const noexcept { return size_; }
  /// Returns the number of tokens of prompt, text and special tokens together.
  std::uint32_t text_tokens() const noexcept { return text_tokens_; }
  /// Appends the ids of a window, including the prompt and the special tokens.
  void append_ids(std::uint32_t window, std::vector<std::int32_t>& ids) const;
  /// Returns the place of a window in its text; an empty one at 0 if the window has no token of the
  /// text. Only allowed if the plan gives each window its own row.
  TextPlace place(std::uint32_t window);

 private:
  /// Counts the characters before given bytes of a text. It is fast if the bytes come in ascending
  /// order.
  struct CharacterCount {
    std::size_t bytes = 0;
    std::size_t characters = 0;
    std::size_t before(std::size_t byte, std::string_view text) noexcept;
  };

  WindowCutter(TokenizerWorker& tokenizer, const EncodePlan& plan);
  Result<void> tokenize(std::string_view text, std::string_view prompt);
  /// Returns the range in ids_ of the tokens of a window.
  TokenRange tokens_of(std::uint32_t window) const noexcept;

  TokenizerWorker* tokenizer_;
  std::string_view prompt_;
  bool strict_utf8_;
  bool with_ranges_;
  std::size_t max_length_;
  std::vector<std::int32_t> prompt_ids_;
  std::size_t room_ = 0;  // tokens of the text in a window
  std::size_t stride_ = 0;

  std::string_view text_;
  std::uint32_t size_ = 0;
  std::uint32_t text_tokens_ = 0;
  bool is_whole_ = false;          // prompt and text fit one window together
  std::vector<std::int32_t> ids_;  // without special ones; of prompt and text if is_whole_
  std::vector<ByteRange> ranges_;  // of each id, if with_ranges_
  CharacterCount begins_;
  CharacterCount ends_;
};

/// Turns texts that are longer than the model takes into windows. It stands between the source and
/// sink of a stream and the engine: for the engine it is a source of windows, given as token ids,
/// and a sink of their rows. A text of any length is tokenized once, as a whole; its windows are
/// given out one by one.
class TextWindows final : public TokenIdSource, public RowSink {
 public:
  /// All arguments must outlive this object.
  TextWindows(TextSource& source, RowSink& sink, WindowCutter& cutter, const EncodePlan& plan)
      : source_(source), sink_(sink), cutter_(cutter), plan_(plan) {}

  /// Stores the ids of the next window.
  Result<bool> next(std::vector<std::int32_t>& ids) override;
  /// Returns the number of the text that the last window is of, from 0.
  std::uint64_t text_number() const noexcept { return num_texts_ - 1; }
  /// Receives the rows of windows, and passes on these rows or the means of each text's rows.
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override;
  /// Returns the number of rows passed on to the sink.
  std::uint64_t num_rows() const noexcept { return num_rows_; }

 private:
  /// A window that is in the engine.
  struct Place {
    std::uint32_t window = 0;
    std::uint32_t windows = 0;
    std::uint32_t text_tokens = 0;
    std::optional<TextPlace> in_text = {};
  };

  /// Reads and cuts the next text. Returns false at the end.
  Result<bool> open_text();
  Place take_place();
  void add_to_mean(std::span<const float> row, const Place& place);

  TextSource& source_;
  RowSink& sink_;
  WindowCutter& cutter_;
  const EncodePlan& plan_;

  // The text that is being cut, used by the thread that calls next().
  std::string text_;
  std::uint64_t num_texts_ = 0;
  Place next_;

  std::mutex mutex_;
  std::deque<Place> places_;

  // The rows that return, used by the thread that calls write().
  std::vector<double> sum_;
  std::vector<float> means_;
  std::vector<RowReport> reports_;
  std::uint64_t num_rows_ = 0;
};

}  // namespace embd
