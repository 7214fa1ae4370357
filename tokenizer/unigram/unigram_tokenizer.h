#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/unigram/added_tokens.h"
#include "tokenizer/unigram/character_map.h"
#include "tokenizer/unigram/normalizer.h"
#include "tokenizer/unigram/options.h"
#include "tokenizer/unigram/pieces.h"

namespace embd {

/// Everything that a UnigramTokenizer reads while it works. The bytes belong to the caller and must
/// outlive it; usually they lie in a mapped file, of which texts touch but a few pages.
struct UnigramVocabulary {
  unigram::PieceTables pieces;
  unigram::CharacterMap characters;
  SpecialTokenIds special;
  std::vector<unigram::AddedToken> added;
};

struct UnigramOptions {
  unigram::WordOptions words;
  unigram::PieceOptions pieces;
};

/// A Unigram tokenizer of the XLM-R family: for every text the ids of Hugging Face's `tokenizers`.
///
/// A token's range goes from the first character of which something is in the token to the last
/// one. A cluster that normalization replaces as a whole counts as one character. White space and
/// the word marks made of it are in no range: a token of nothing else has an empty one.
///
/// Its text tokenizers fail with `unsupported` at an unknown character where there is no piece for
/// these. Memory is linear in the longest word alone: three bytes for each byte of it after
/// normalization, and where ranges are asked for up to 32 bytes for each of its characters that
/// normalization changes.
class UnigramTokenizer final : public Tokenizer {
 public:
  /// Checks the vocabulary's tables as Pieces and AddedTokens say, and has their errors;
  /// unsupported for options that no tokenizer of the family has together: layout words with
  /// prepend_scheme first; out_of_memory. Builds nothing that grows with the vocabulary.
  static Result<std::unique_ptr<const UnigramTokenizer>> create(UnigramVocabulary vocabulary,
                                                                const UnigramOptions& options);

  std::unique_ptr<TextTokenizer> make_text_tokenizer() const override;
  std::string_view token(std::int32_t id) const noexcept override;
  std::string decode(std::span<const std::int32_t> ids, bool skip_special) const override;
  /// The trie is not part of it: check_double_array() proves that it spells the pieces.
  std::string hash() const override;

  const unigram::Pieces& pieces() const noexcept { return pieces_; }
  const unigram::Normalizer& normalizer() const noexcept { return normalizer_; }
  const unigram::AddedTokens& added_tokens() const noexcept { return added_tokens_; }
  const unigram::WordOptions& word_options() const noexcept { return options_.words; }

 private:
  UnigramTokenizer(UnigramVocabulary vocabulary, const UnigramOptions& options,
                   const unigram::Pieces& pieces, unigram::AddedTokens added_tokens);

  UnigramVocabulary vocabulary_;
  UnigramOptions options_;
  unigram::Pieces pieces_;
  unigram::Normalizer normalizer_;
  unigram::AddedTokens added_tokens_;
};

}  // namespace embd
