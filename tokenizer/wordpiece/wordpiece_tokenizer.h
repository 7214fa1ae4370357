#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/added_tokens.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/wordpiece/normalize.h"
#include "tokenizer/wordpiece/normalized_tokens.h"
#include "tokenizer/wordpiece/vocabulary.h"

namespace embd {

struct WordPieceOptions {
  /// Convert texts to lower case. False for cased BERT models.
  bool lower_case = true;
  /// Decompose texts and strip accents; the same as lower_case if it is not set.
  std::optional<bool> strip_accents = {};
  PairTemplate pair_template = PairTemplate::bert;
  bool has_types = true;  ///< False if the model has no token types.
  /// Tokens besides the special ones that are found in texts as a whole, and special ones with
  /// rules of their own.
  std::vector<AddedToken> added = {};
};

/// A BERT WordPiece tokenizer that gives every text the same ids as Hugging Face's tokenizers. The
/// bytes of the vocabulary's tokens belong to the caller (see Vocabulary). The constructor throws
/// std::bad_alloc if there is no memory. The options must pass check_options() unless they name no
/// added tokens.
class WordPieceTokenizer final : public Tokenizer {
 public:
  explicit WordPieceTokenizer(wordpiece::Vocabulary vocabulary,
                              const WordPieceOptions& options = {});
  /// Checks the added tokens. Fails with the errors of added_tokens_of() and
  /// wordpiece::NormalizedTokens::create().
  static Result<void> check_options(const wordpiece::Vocabulary& vocabulary,
                                    const WordPieceOptions& options);

  std::unique_ptr<TextTokenizer> make_text_tokenizer() const override;
  std::string_view token(std::int32_t id) const noexcept override { return vocabulary_.token(id); }
  std::string decode(std::span<const std::int32_t> ids, bool skip_special) const override;
  std::string hash() const override;

  const wordpiece::Vocabulary& vocabulary() const noexcept { return vocabulary_; }
  const wordpiece::Normalizer& normalizer() const noexcept { return normalizer_; }
  /// Returns the tokens that are cut out of texts as they are.
  const AddedTokens& added_tokens() const noexcept { return added_tokens_; }
  const wordpiece::NormalizedTokens& normalized_tokens() const noexcept {
    return normalized_tokens_;
  }
  /// Returns the class of an ASCII character. For any other byte it returns `dropped`, and the
  /// caller must decode the code point.
  wordpiece::CharacterClass byte_class(char byte) const noexcept {
    return byte_classes_[static_cast<std::uint8_t>(byte)];
  }

 private:
  wordpiece::Vocabulary vocabulary_;
  wordpiece::Normalizer normalizer_;
  AddedTokens added_tokens_;
  wordpiece::NormalizedTokens normalized_tokens_;
  WordPieceOptions options_;
  std::array<wordpiece::CharacterClass, 256> byte_classes_{};
};

}  // namespace embd
