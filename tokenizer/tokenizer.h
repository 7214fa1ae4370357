#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/byte_range.h"
#include "embd/error.h"
#include "embd/recipe.h"
#include "tokenizer/normalize.h"
#include "tokenizer/pretokenize.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/vocabulary.h"
#include "tokenizer/word_cache.h"
#include "tokenizer/wordpiece.h"

namespace embd {

struct TokenizerOptions {
  /// False keeps case and accents, as cased BERT models want it.
  bool lower_case = true;
};

/// A BERT WordPiece tokenizer: the ids of Hugging Face's tokenizers for every text.
///
/// Immutable; any number of threads may share it, each with a TokenizerWorker of its own. Moving it
/// leaves its workers behind: make them afterwards. The bytes of the vocabulary's tokens belong to
/// the caller, see Vocabulary. Throws std::bad_alloc when made if there is no memory.
class Tokenizer {
 public:
  explicit Tokenizer(Vocabulary vocabulary, const TokenizerOptions& options = {});

  const Vocabulary& vocabulary() const noexcept { return vocabulary_; }
  const Normalizer& normalizer() const noexcept { return *normalizer_; }
  const SpecialTokenFinder& special_tokens() const noexcept { return special_tokens_; }
  /// The class of an ASCII character; `dropped` for a byte that is none, which takes a closer look.
  CharacterClass byte_class(char byte) const noexcept {
    return byte_classes_[static_cast<std::uint8_t>(byte)];
  }

  /// SHA-256, in hex, of everything that decides about ids: vocabulary, special ids, rules. Two
  /// tokenizers with one hash give every text the same ids. Computed anew at each call (about 1
  /// ms).
  std::string hash() const;

 private:
  Vocabulary vocabulary_;
  SpecialTokenFinder special_tokens_;
  std::unique_ptr<const Normalizer> normalizer_;
  std::array<CharacterClass, 256> byte_classes_{};
};

struct TextOptions {
  /// Tokens a text is cut to, both special ones counted: at least 2, or 0 for no cut.
  std::uint32_t max_length = 0;
  TruncationSide truncation_side = TruncationSide::right;
  /// Refuse a text that is not UTF-8 instead of leaving out what is malformed.
  bool strict_utf8 = false;
  /// Put before the text, as if it were the beginning of it.
  std::string_view prompt;
};

/// What became of one text.
struct Encoding {
  /// Tokens of the whole text, both special ones counted, before any cut.
  std::uint64_t tokens;
  bool truncated;
};

/// Turns texts into ids. One thread's property: it keeps memory between texts, among it the ids of
/// words it met. The tokenizer must outlive it and stay where it is. Throws std::bad_alloc when
/// made if its 512 KB cannot be had.
class TokenizerWorker {
 public:
  explicit TokenizerWorker(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

  /// Appends [CLS], the ids of `text` and [SEP] to `ids`; nothing if it fails. Time is linear in
  /// the text, memory besides the ids constant (with a prompt: a copy of the text). Errors:
  /// invalid_argument for a max_length of 1; invalid_utf8 in strict mode, with the byte's offset in
  /// the text; out_of_memory.
  Result<Encoding> encode(std::string_view text, const TextOptions& options,
                          std::vector<std::int32_t>& ids) {
    return encode(text, options, ids, nullptr);
  }
  /// The same, and appends to `ranges` for each id the bytes of `text` that it stands for: from the
  /// first character of which something is in the token to the last one. So a character that falls
  /// apart into several tokens is in the range of each, and what is removed between two characters
  /// of a token is in its range. Empty, at 0, for [CLS], [SEP] and tokens of the prompt alone.
  Result<Encoding> encode(std::string_view text, const TextOptions& options,
                          std::vector<std::int32_t>& ids, std::vector<ByteRange>& ranges) {
    return encode(text, options, ids, &ranges);
  }

 private:
  class TokenSink;
  Result<Encoding> encode(std::string_view text, const TextOptions& options,
                          std::vector<std::int32_t>& ids, std::vector<ByteRange>* ranges);
  /// The words of a text without special tokens.
  void encode_words(std::string_view text, TokenSink& sink);
  /// word_, and returns its ids, valid until the next word.
  std::span<const std::int32_t> encode_word(TokenSink& sink);
  /// The ranges of a word's tokens; `text` begins at or before the word and ends behind it.
  void add_ranges(std::string_view text, std::span<const std::int32_t> ids, TokenSink& sink) const;

  const Tokenizer* tokenizer_;
  std::string joined_;  ///< prompt and text
  Word word_;
  WordPieces pieces_;
  WordCache cache_;
};

}  // namespace embd
