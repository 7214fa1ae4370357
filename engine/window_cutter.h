#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "embd/byte_range.h"
#include "engine/encode_plan.h"
#include "tokenizer/tokenizer_worker.h"

namespace embd {

/// Cuts texts into windows: each is the prompt and as many tokens of the text as fit beside it,
/// and begins a stride after the one before. A text that fits with its prompt is one window.
class WindowCutter {
 public:
  /// `tokenizer` must outlive it. Errors: invalid_argument for a prompt that leaves no room, and
  /// for a stride that leaves tokens out.
  static Result<WindowCutter> create(TokenizerWorker& tokenizer, const EncodePlan& plan);

  /// Tokenizes a text, whose windows the other members give until the next call. `text` must stay
  /// until then. Errors: those of TokenizerWorker::encode_plain(); invalid_utf8 in strict mode.
  Result<void> cut(std::string_view text);

  /// The number of windows.
  std::uint32_t size() const noexcept { return size_; }
  /// Tokens of prompt and text with the special ones.
  std::uint32_t text_tokens() const noexcept { return text_tokens_; }
  /// Appends the ids of a window with prompt and special tokens.
  void append_ids(std::uint32_t window, std::vector<std::int32_t>& ids) const;
  /// Where a window lies in its text: empty, at 0, without a token of it.
  /// Only where the plan gives windows rows of their own.
  TextPlace place(std::uint32_t window);

 private:
  /// Counts the characters before bytes of a text, quickly where these ascend.
  struct CharacterCount {
    std::size_t bytes = 0;
    std::size_t characters = 0;
    std::size_t before(std::size_t byte, std::string_view text) noexcept;
  };

  WindowCutter(TokenizerWorker& tokenizer, const EncodePlan& plan);
  Result<void> tokenize(std::string_view text, std::string_view prompt);
  /// The tokens of a window in ids_.
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
  std::vector<std::int32_t> ids_;  // of both then, else of the text; without special ones
  std::vector<ByteRange> ranges_;  // of each id, if with_ranges_
  CharacterCount begins_;
  CharacterCount ends_;
};

}  // namespace embd
