#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "embd/error.h"
#include "tokenizer/token_sink.h"
#include "tokenizer/token_template.h"

namespace embd {

/// Turns texts into tokens, without the special ones around them. One thread's property: it may
/// keep memory between texts, such as the ids of words it met.
class TextTokenizer {
 public:
  virtual ~TextTokenizer() = default;
  /// Adds the tokens of `text` to `sink`, and the range of each where the sink wants them. Reads
  /// `text` as UTF-8 and gives malformed bytes a meaning, too. Time is linear in the text. What the
  /// sink was given counts for nothing if it fails. Throws std::bad_alloc.
  virtual Result<void> tokenize(std::string_view text, TokenSink& sink) = 0;
};

/// The tokenizer of a model: its vocabulary and its rules, of one TokenizerKind. Immutable; any
/// number of threads may share it, each with a TokenizerWorker of its own.
class Tokenizer {
 public:
  explicit Tokenizer(TokenTemplate special_tokens) : template_(std::move(special_tokens)) {}
  virtual ~Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// The tokenizer must outlive what is made. Throws std::bad_alloc.
  virtual std::unique_ptr<TextTokenizer> make_text_tokenizer() const = 0;
  /// The vocabulary entry of an id; empty if there is no such id.
  virtual std::string_view token(std::int32_t id) const noexcept = 0;
  /// The text that tokens stand for, as far as they say it; without the special ones if asked.
  virtual std::string decode(std::span<const std::int32_t> ids, bool skip_special) const = 0;
  /// SHA-256, in hex, of everything that decides about ids: vocabulary, special ids, rules. Two
  /// tokenizers with one hash give every text the same ids. Computed anew at each call.
  virtual std::string hash() const = 0;

  /// The special tokens around a text.
  const TokenTemplate& special_tokens() const noexcept { return template_; }

 private:
  const TokenTemplate template_;
};

}  // namespace embd
