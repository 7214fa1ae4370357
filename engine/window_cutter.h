#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "embd/tokens.h"
#include "engine/encode_plan.h"
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

}  // namespace embd
