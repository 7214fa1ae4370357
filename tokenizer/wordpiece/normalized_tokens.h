#pragma once

#include <array>
#include <span>
#include <string_view>

#include "embd/error.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/aligned_text.h"
#include "tokenizer/wordpiece/normalize.h"
#include "tokenizer/wordpiece/vocabulary.h"

namespace embd::wordpiece {

/// Replaces the content of `out` by the normalized text, in which white space is a space and an
/// ideograph stands between spaces.
void normalize(const Normalizer& normalizer, std::string_view text, AlignedText& out);

/// The added tokens that are normalized. They are cut out of what normalization makes of a text,
/// after the others were cut out of the text. Immutable.
class NormalizedTokens {
 public:
  NormalizedTokens() = default;
  /// Takes the tokens in `added` that are normalized; all ids must be in the vocabulary. Fails with
  /// the errors of AddedTokens::create(), because normalization may make two tokens equal, and
  /// leave nothing of a token.
  static Result<NormalizedTokens> create(const Vocabulary& vocabulary, const Normalizer& normalizer,
                                         std::span<const AddedToken> added);

  /// Returns true if some character of a text may be the first of a token. Most texts have none,
  /// and need not be normalized as a whole.
  bool may_be_in(std::string_view text, const Normalizer& normalizer) const;

  /// Returns the tokens, with their normalized texts.
  const AddedTokens& tokens() const noexcept { return tokens_; }

 private:
  AddedTokens tokens_;
  std::array<bool, 256> begins_one_{};  ///< true for each byte that is the first byte of a token
  std::array<bool, 0x80> may_begin_{};  ///< true for ASCII characters that may become such a byte
};

}  // namespace embd::wordpiece
