#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/unigram/normalizer.h"
#include "tokenizer/unigram/options.h"
#include "tokenizer/unigram/pieces.h"

namespace embd {

/// Everything that a UnigramTokenizer reads. The bytes belong to the caller and must outlive it.
/// Usually they are in a mapped file, of which texts need only a few pages.
struct UnigramVocabulary {
  unigram::PieceTables pieces;
  /// The tokens by id: the pieces and behind them tokens that are only added. If it is empty, there
  /// are none of these.
  std::span<const std::string_view> tokens = {};
  unigram::CharacterMap characters;
  SpecialTokenIds special;
  std::vector<AddedToken> added;  ///< The tokens that are cut out of texts.
};

struct UnigramOptions {
  unigram::WordOptions words;
  unigram::PieceOptions pieces;
  PairTemplate pair_template = PairTemplate::roberta;
  bool has_types = true;  ///< False if the model has no token types.
};

/// A Unigram tokenizer of the XLM-R family. It gives every text the same ids as Hugging Face's
/// `tokenizers`.
///
/// The range of a token reaches from the first character that has a part in the token to the last
/// one. A cluster that normalization replaces as a whole counts as one character. White space and
/// the word marks made of it are in no range, so a token that consists only of them has an empty
/// range.
///
/// Its text tokenizers fail with unsupported for an unknown character if the vocabulary has no
/// piece for it. They need memory in proportion to the longest word only: three bytes for each byte
/// of the normalized word and, if ranges are wanted, up to 32 bytes for each of its characters that
/// normalization changes.
class UnigramTokenizer final : public Tokenizer {
 public:
  /// Checks the vocabulary's tables. Fails as Pieces::create() and added_tokens_of() do; with
  /// unsupported for a combination of options that no tokenizer of the family has, which is
  /// Layout::words with PrependScheme::first, and for a normalized token with white space whose
  /// steps the options name; with out_of_memory. Builds nothing whose size grows
  /// with the vocabulary.
  static Result<std::unique_ptr<const UnigramTokenizer>> create(UnigramVocabulary vocabulary,
                                                                const UnigramOptions& options);

  std::unique_ptr<TextTokenizer> make_text_tokenizer() const override;
  std::string_view token(std::int32_t id) const noexcept override;
  std::string decode(std::span<const std::int32_t> ids, bool skip_special) const override;
  /// Returns the hash. It does not cover the trie, because check_double_array() proves that the
  /// trie follows from the pieces.
  std::string hash() const override;

  const unigram::Pieces& pieces() const noexcept { return pieces_; }
  const unigram::Normalizer& normalizer() const noexcept { return normalizer_; }
  /// Returns a normalizer that changes nothing. To be called only if there are normalized tokens.
  const unigram::Normalizer& unchanged() const noexcept { return *unchanged_; }
  /// Returns the tokens that are cut out of texts as they are.
  const AddedTokens& added_tokens() const noexcept { return added_tokens_; }
  /// Returns the tokens that are cut out of normalized texts.
  const AddedTokens& normalized_tokens() const noexcept { return normalized_tokens_; }
  const unigram::WordOptions& word_options() const noexcept { return options_.words; }

 private:
  UnigramTokenizer(UnigramVocabulary vocabulary, const UnigramOptions& options,
                   const unigram::Pieces& pieces);
  Result<void> find_added_tokens();

  UnigramVocabulary vocabulary_;
  UnigramOptions options_;
  unigram::Pieces pieces_;
  unigram::Normalizer normalizer_;
  std::optional<unigram::Normalizer> unchanged_;
  AddedTokens added_tokens_;
  AddedTokens normalized_tokens_;
};

}  // namespace embd
