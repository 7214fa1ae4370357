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
#include "tokenizer/bpe/options.h"
#include "tokenizer/bpe/vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace embd {

/// Everything that a BpeTokenizer reads. The bytes belong to the caller and must outlive it.
struct BpeVocabulary {
  bpe::Tables tables;
  SpecialTokenIds special;
  std::vector<AddedToken> added;  ///< The tokens that are cut out of texts.
};

/// A byte-level BPE tokenizer. It gives every text the same ids as Hugging Face's `tokenizers`.
///
/// The range of a token reaches from the first character that has a byte in the token to the last
/// one, without spaces at its ends. So a token that consists only of spaces has an empty range.
///
/// Time for a text is proportional to n log n of its longest word. Its text tokenizers fail with
/// the errors of bpe::Merger::merge().
class BpeTokenizer final : public Tokenizer {
 public:
  /// Takes a few milliseconds for 50,000 tokens. Fails with the errors of bpe::Vocabulary::create()
  /// and added_tokens_of(), with special_token_id for an unknown token outside the vocabulary, with
  /// unsupported for a normalized token that normalization may change, and with out_of_memory.
  static Result<std::unique_ptr<const BpeTokenizer>> create(const BpeVocabulary& vocabulary,
                                                            const BpeOptions& options);

  std::unique_ptr<TextTokenizer> make_text_tokenizer() const override;
  std::string_view token(std::int32_t id) const noexcept override { return vocabulary_.token(id); }
  std::string decode(std::span<const std::int32_t> ids, bool skip_special) const override;
  std::string hash() const override;

  const bpe::Vocabulary& vocabulary() const noexcept { return vocabulary_; }
  const bpe::Rules& rules() const noexcept { return options_.rules; }
  /// Returns the token for bytes that are no token; nothing if they disappear.
  std::optional<std::int32_t> unknown_byte() const noexcept {
    return rules().keeps_unknown ? std::optional(special_.unk) : std::nullopt;
  }
  /// Returns the tokens that are cut out of texts first.
  const AddedTokens& added_tokens() const noexcept { return added_tokens_; }
  /// Returns the tokens that are cut out of what is left, because they are normalized.
  const AddedTokens& normalized_tokens() const noexcept { return normalized_tokens_; }

 private:
  BpeTokenizer(bpe::Vocabulary vocabulary, const SpecialTokenIds& special,
               const std::vector<AddedToken>& added, const BpeOptions& options);

  bpe::Vocabulary vocabulary_;
  SpecialTokenIds special_;
  std::vector<AddedToken> added_;
  BpeOptions options_;
  AddedTokens added_tokens_;
  AddedTokens normalized_tokens_;
};

}  // namespace embd
