#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/added_token.h"
#include "tokenizer/wordpiece/normalize.h"
#include "tokenizer/wordpiece/vocabulary.h"

namespace embd::wordpiece {

/// A token in a text.
struct FoundToken {
  std::size_t position;  ///< The size of the text if there is none.
  std::size_t size;
  std::int32_t id;
};

/// Checks that added tokens are in the vocabulary, are not empty and, if they are normalized,
/// consist of printable ASCII characters. Fails with special_token_id.
Result<void> check_added_tokens(const Vocabulary& vocabulary, std::span<const AddedToken> added);

/// Finds special and added tokens that a text contains literally, such as "[SEP]". They are cut out
/// of the raw text before any other step, case-sensitively and also inside words, as Hugging Face's
/// tokenizers do.
class SpecialTokenFinder {
 public:
  using Found = FoundToken;

  /// Copies views of the special tokens and of those in `added` that are not normalized; the
  /// vocabulary's bytes must outlive this object.
  SpecialTokenFinder(const Vocabulary& vocabulary, std::span<const AddedToken> added);

  /// Returns the leftmost special token at or after `from`; of several at the same place, the
  /// longest.
  Found find(std::string_view text, std::size_t from) const noexcept;

 private:
  struct Token {
    std::string_view text;
    std::int32_t id;
  };
  /// Returns the first place at or after `from` where a token may begin; a place outside the text
  /// if there is none.
  std::size_t find_first_byte(std::string_view text, std::size_t from) const noexcept;

  std::vector<Token> longest_first_;
  std::string first_bytes_;  ///< the first byte of each token, without repeats
};

/// Finds the added tokens that are normalized, in what normalization makes of a text. They are cut
/// out after the others. Both arguments of the constructor must outlive the object.
class NormalizedTokenFinder {
 public:
  /// Takes the tokens in `added` that are normalized.
  NormalizedTokenFinder(const Vocabulary& vocabulary, const Normalizer& normalizer,
                        std::span<const AddedToken> added);

  /// Returns the first such token at or after `from`; of several at the same place, the longest.
  FoundToken find(std::string_view text, std::size_t from) const;

 private:
  struct Token {
    std::string text;  ///< normalized
    std::int32_t id;
  };
  /// Returns the number of bytes at the beginning of `text` that are this token; 0 if it is not
  /// there.
  std::size_t match(std::string_view text, const Token& token) const;

  const Normalizer& normalizer_;
  std::vector<Token> longest_first_;
  std::array<bool, 256> may_begin_{};  ///< true for bytes with which a token may begin
};

}  // namespace embd::wordpiece
