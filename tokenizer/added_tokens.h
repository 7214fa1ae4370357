#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "tokenizer/double_array.h"
#include "tokenizer/special_tokens.h"

namespace embd {

/// An added token with its text.
struct AddedText {
  std::string_view text;
  AddedToken token;
};

/// Cuts added tokens out of texts, also inside words, as Hugging Face's `tokenizers` do. Immutable.
class AddedTokens {
 public:
  AddedTokens() = default;
  /// Copies the tokens. Fails with bad_value for a token whose text is empty, has more than 255
  /// bytes or contains a byte 0; with duplicate_token; with out_of_memory.
  static Result<AddedTokens> create(std::span<const AddedText> tokens);

  bool empty() const noexcept { return tokens_.empty(); }

  class Cuts;

 private:
  /// The place of a token's text in a text.
  struct Match {
    std::size_t begin;
    std::size_t end;
    const AddedToken* token;
  };
  /// Returns the leftmost token at or after `from`; of several at the same place, the longest.
  std::optional<Match> find(std::string_view text, std::size_t from) const noexcept;
  /// Returns the first place at or after `from` where a token may begin; the size of the text or
  /// more if there is none.
  std::size_t find_first_byte(std::string_view text, std::size_t from) const noexcept;
  DoubleArray trie() const noexcept { return DoubleArray(std::as_bytes(std::span(units_))); }

  std::vector<std::uint32_t> units_;
  std::vector<AddedToken> tokens_;       ///< [tokens], in the order of the numbers in the trie
  std::array<bool, 256> begins_one_{};   ///< true for each byte that is the first byte of a token
  std::optional<char> only_first_byte_;  ///< the first byte, if all tokens have the same
};

/// The parts of a text, from the left to the right: stretches without added tokens, and the tokens
/// between them. Tokens and text must outlive it. The time for a text is proportional to its
/// length, times the length of the longest token.
/// The white space behind a token may have another token in it, as in `tokenizers`.
///
///   for (AddedTokens::Cuts cuts(tokens, text); cuts.next();) {
///     … cuts.before() …
///     if (cuts.token() != nullptr) … cuts.token()->id …
///   }
class AddedTokens::Cuts {
 public:
  Cuts(const AddedTokens& tokens, std::string_view text) noexcept : tokens_(tokens), text_(text) {}

  /// Moves on to the next stretch and the token behind it. Returns false if the text is at its end.
  bool next() noexcept;

  /// Returns the stretch, which may be empty.
  std::string_view before() const noexcept { return before_; }
  /// Returns the token behind the stretch; null at the end of the text.
  const AddedToken* token() const noexcept { return token_; }
  /// Returns the token's own text, without the white space that became part of it.
  std::string_view token_text() const noexcept { return token_text_; }

 private:
  /// Returns the end of the white space that begins at `from`.
  std::size_t white_space_end(std::size_t from) noexcept;

  const AddedTokens& tokens_;
  std::string_view text_;
  std::size_t searched_ = 0;  ///< The place from which the next token is looked for.
  std::size_t done_ = 0;      ///< The end of the last token and its white space.
  std::string_view before_;
  const AddedToken* token_ = nullptr;
  std::string_view token_text_;
  /// The last white space that white_space_end() read, so that none is read again and again.
  std::size_t white_begin_ = 0;
  std::size_t white_end_ = 0;
};

/// Returns the tokens that a tokenizer finds in texts: its special tokens, each once, and `added`.
/// An entry of `added` with the id of a special token replaces this token.
std::vector<AddedToken> with_special_tokens(const SpecialTokenIds& special,
                                            std::span<const AddedToken> added);

/// Returns a list with `true` for each token of the vocabulary that is only added. Ids outside the
/// vocabulary are ignored.
std::vector<bool> only_added_of(std::span<const AddedToken> tokens, std::size_t vocab_size);

/// Returns the ids of the tokens that are no text, in ascending order.
std::vector<std::int32_t> special_ids(std::span<const AddedToken> tokens);

/// Makes the added tokens of a vocabulary, whose token i has the text `texts[i]`: either those that
/// are normalized or the others. Fails with special_token_id for an id outside the vocabulary and
/// with the errors of AddedTokens::create().
Result<AddedTokens> added_tokens_of(std::span<const std::string_view> texts,
                                    std::span<const AddedToken> added, bool normalized);

}  // namespace embd
