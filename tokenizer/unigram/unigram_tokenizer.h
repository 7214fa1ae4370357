#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "embd/byte_range.h"
#include "embd/error.h"
#include "tokenizer/unigram/added_tokens.h"
#include "tokenizer/unigram/normalizer.h"
#include "tokenizer/unigram/options.h"
#include "tokenizer/unigram/piece_cache.h"
#include "tokenizer/unigram/pieces.h"
#include "tokenizer/unigram/viterbi.h"
#include "tokenizer/unigram/word.h"

namespace embd {

/// A Unigram tokenizer of the XLM-R family: for every text the ids of Hugging Face's `tokenizers`,
/// without the special tokens around it.
///
/// Immutable; any number of threads may share it, each with a UnigramWorker of its own. The tables
/// of `pieces` and the bytes of `characters` belong to the caller and must outlive it.
class UnigramTokenizer {
 public:
  /// Errors: unsupported for options that no tokenizer of the family has together: layout words
  /// with prepend_scheme first.
  static Result<UnigramTokenizer> create(const unigram::Pieces& pieces,
                                         const unigram::CharacterMap& characters,
                                         unigram::AddedTokens added_tokens,
                                         const unigram::WordOptions& options);

  const unigram::Pieces& pieces() const noexcept { return pieces_; }
  const unigram::Normalizer& normalizer() const noexcept { return normalizer_; }
  const unigram::AddedTokens& added_tokens() const noexcept { return added_tokens_; }
  const unigram::WordOptions& options() const noexcept { return options_; }

 private:
  UnigramTokenizer(const unigram::Pieces& pieces, const unigram::CharacterMap& characters,
                   unigram::AddedTokens added_tokens, const unigram::WordOptions& options)
      : pieces_(pieces),
        normalizer_(characters),
        added_tokens_(std::move(added_tokens)),
        options_(options) {}

  unigram::Pieces pieces_;
  unigram::Normalizer normalizer_;
  unigram::AddedTokens added_tokens_;
  unigram::WordOptions options_;
};

/// Turns texts into ids. One thread's property: it keeps memory between texts, among it the ids of
/// words it met. The tokenizer must outlive it and stay where it is. Throws std::bad_alloc when
/// made if its 512 KB cannot be had.
class UnigramWorker {
 public:
  explicit UnigramWorker(const UnigramTokenizer& tokenizer)
      : tokenizer_(&tokenizer), viterbi_(tokenizer.pieces()) {}

  /// Appends the ids of `text` to `ids`; nothing if it fails. Reads `text` as UTF-8; a malformed
  /// part counts as U+FFFD.
  ///
  /// Time is linear in the text. Memory besides the ids is linear in the longest word alone: three
  /// bytes for each byte of it after normalization. Errors: unsupported for an unknown character
  /// where there is no piece for these; out_of_memory.
  Result<void> encode(std::string_view text, std::vector<std::int32_t>& ids) {
    return encode(text, ids, nullptr);
  }
  /// The same, and appends to `ranges` for each id the bytes of `text` that it stands for: from the
  /// first character of which something is in the token to the last one. A cluster that
  /// normalization replaces as a whole counts as one character. White space and the word marks made
  /// of it are in no range: a token of nothing else has an empty one, at 0. Takes up to 32 bytes
  /// more for each character of the longest word that normalization changes.
  Result<void> encode(std::string_view text, std::vector<std::int32_t>& ids,
                      std::vector<ByteRange>& ranges) {
    return encode(text, ids, &ranges);
  }

 private:
  struct Output;
  Result<void> encode(std::string_view text, std::vector<std::int32_t>& ids,
                      std::vector<ByteRange>* ranges);
  Result<void> encode_parts(std::string_view text, const Output& output);
  Result<void> encode_words(std::string_view text, bool begins_text, const Output& output);
  Result<void> encode_word(const Output& output);

  const UnigramTokenizer* tokenizer_;
  unigram::Word word_;
  unigram::Viterbi viterbi_;
  unigram::PieceCache cache_;
};

}  // namespace embd
