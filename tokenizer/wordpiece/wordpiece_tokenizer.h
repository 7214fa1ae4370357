#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/added_token.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/wordpiece/normalize.h"
#include "tokenizer/wordpiece/special_tokens.h"
#include "tokenizer/wordpiece/vocabulary.h"

namespace embd {

struct WordPieceOptions {
  /// Convert texts to lower case and strip accents. False for cased BERT models.
  bool lower_case = true;
  PairTemplate pair_template = PairTemplate::bert;
  bool has_types = true;  ///< False if the model has no token types.
  /// Tokens besides the special ones that are found in texts as a whole. They must pass
  /// wordpiece::check_added_tokens().
  std::vector<AddedToken> added = {};
};

/// A BERT WordPiece tokenizer that gives every text the same ids as Hugging Face's tokenizers. The
/// bytes of the vocabulary's tokens belong to the caller (see Vocabulary). The constructor throws
/// std::bad_alloc if there is no memory.
class WordPieceTokenizer final : public Tokenizer {
 public:
  explicit WordPieceTokenizer(wordpiece::Vocabulary vocabulary,
                              const WordPieceOptions& options = {});

  std::unique_ptr<TextTokenizer> make_text_tokenizer() const override;
  std::string_view token(std::int32_t id) const noexcept override { return vocabulary_.token(id); }
  std::string decode(std::span<const std::int32_t> ids, bool skip_special) const override;
  std::string hash() const override;

  const wordpiece::Vocabulary& vocabulary() const noexcept { return vocabulary_; }
  const wordpiece::Normalizer& normalizer() const noexcept { return normalizer_; }
  const wordpiece::SpecialTokenFinder& special_token_finder() const noexcept { return finder_; }
  const wordpiece::NormalizedTokenFinder& normalized_token_finder() const noexcept {
    return normalized_finder_;
  }
  /// Returns the class of an ASCII character. For any other byte it returns `dropped`, and the
  /// caller must decode the code point.
  wordpiece::CharacterClass byte_class(char byte) const noexcept {
    return byte_classes_[static_cast<std::uint8_t>(byte)];
  }

 private:
  wordpiece::Vocabulary vocabulary_;
  wordpiece::SpecialTokenFinder finder_;
  wordpiece::Normalizer normalizer_;
  wordpiece::NormalizedTokenFinder normalized_finder_;
  WordPieceOptions options_;
  std::array<wordpiece::CharacterClass, 256> byte_classes_{};
};

}  // namespace embd
