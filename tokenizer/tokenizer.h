#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "embd/error.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/token_sink.h"

namespace embd {

/// Turns texts into tokens, without special tokens around them. Used by one thread at a time,
/// because it may remember things between texts, such as the ids of words.
class TextTokenizer {
 public:
  virtual ~TextTokenizer() = default;
  /// Adds the tokens of `text` to `sink`, with their ranges if the sink wants them. `text` is
  /// UTF-8; malformed bytes are replaced or left out, depending on the kind of tokenizer. Takes
  /// time linear in the length of the text. If it fails, the content of the sink is meaningless.
  /// Throws std::bad_alloc.
  virtual Result<void> tokenize(std::string_view text, TokenSink& sink) = 0;
};

/// The tokenizer of a model: the vocabulary and the rules of one TokenizerKind. Immutable. Any
/// number of threads may share it, each with its own TokenizerWorker.
class Tokenizer {
 public:
  explicit Tokenizer(TokenTemplate special_tokens) : template_(std::move(special_tokens)) {}
  virtual ~Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// Makes an object that tokenizes texts. The tokenizer must outlive it. Throws std::bad_alloc.
  virtual std::unique_ptr<TextTokenizer> make_text_tokenizer() const = 0;
  /// Returns the vocabulary entry of a token id; empty if there is no such id.
  virtual std::string_view token(std::int32_t id) const noexcept = 0;
  /// Returns the text that tokens stand for, as far as they determine it, without special tokens if
  /// `skip_special` is true.
  virtual std::string decode(std::span<const std::int32_t> ids, bool skip_special) const = 0;
  /// Returns the SHA-256, in hex digits, of everything that determines ids: vocabulary, special ids
  /// and rules. Two tokenizers with the same hash give every text the same ids. It is computed at
  /// each call.
  virtual std::string hash() const = 0;

  /// Returns the special tokens around a text.
  const TokenTemplate& special_tokens() const noexcept { return template_; }

 private:
  const TokenTemplate template_;
};

}  // namespace embd
