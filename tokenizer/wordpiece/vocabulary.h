#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/wordpiece/pretokenize.h"

namespace embd::wordpiece {

/// The vocabulary of a WordPiece tokenizer. The id of a token is its position. A token that
/// continues a word begins with "##".
///
/// It holds views: the bytes of the tokens belong to the caller and must outlive it. Usually they
/// are in the mapped model file. Immutable.
class Vocabulary {
 public:
  /// Makes a vocabulary of tokens, which are UTF-8. Only views of them are copied. Words are not
  /// cut into the tokens of `added` that are only added. Fails with special_token_id for a special
  /// token outside the vocabulary, with missing if a special token is an empty string, and with
  /// duplicate_token.
  static Result<Vocabulary> create(std::span<const std::string_view> tokens,
                                   const SpecialTokenIds& special,
                                   std::span<const AddedToken> added = {});

  std::size_t size() const noexcept { return tokens_.size(); }
  const SpecialTokenIds& special() const noexcept { return special_; }
  std::span<const std::string_view> tokens() const noexcept { return tokens_; }
  /// Returns the token with this id; empty if there is no such id.
  std::string_view token(std::int32_t id) const noexcept {
    return id >= 0 && static_cast<std::size_t>(id) < size() ? tokens_[id] : std::string_view();
  }

  /// Returns the number of bytes of a word that a token covers, not counting "##".
  static std::size_t piece_size(std::string_view token) noexcept;

  /// A token that was found: its id, and the number of bytes of the text that it covers, not
  /// counting "##".
  struct Match {
    std::int32_t id;
    std::size_t size;  ///< 0 if nothing was found
  };
  enum class Place : std::uint8_t { begins_word, continues_word };
  /// Returns the longest token at the beginning of `text` that may stand in this place of a word.
  Match longest_match(std::string_view text, Place place) const noexcept;

 private:
  struct Slot {
    std::uint32_t tag = 0;  ///< upper half of the hash
    std::int32_t id = -1;   ///< -1: empty
  };

  Vocabulary() = default;
  /// Returns the slot of the token, or the empty slot where it belongs.
  std::size_t find_slot(std::uint64_t hash, std::string_view text, Place place) const noexcept;

  std::vector<std::string_view> tokens_;
  SpecialTokenIds special_;
  std::size_t longest_ = 0;  ///< bytes of the longest token
  std::vector<Slot> slots_;  ///< open addressing, linear probing, at most half full
  int shift_ = 0;            ///< hash >> shift_ is a slot
  /// A filter with eight bits for each slot, most of them 0. Most prefixes of a word are no tokens,
  /// and the filter tells so without a search in the slots.
  std::vector<bool> filter_;
};

/// Memory for the pieces of any word: each piece covers at least one byte of it.
using WordPieces = std::array<std::int32_t, Word::max_size>;

/// Splits a word, which must not be empty, into WordPiece tokens: takes the longest token from its
/// beginning, again and again. A word that cannot be split completely, or is too long, becomes one
/// unknown token. Returns the number of ids stored in `pieces`.
std::size_t split_word(const Vocabulary& vocabulary, const Word& word, WordPieces& pieces) noexcept;

/// Returns the text that tokens stand for, as decode() of Hugging Face's tokenizers does: pieces of
/// a word joined, spaces between words, no space before punctuation. Special tokens are left out if
/// `skip_special` is true. Ids outside the vocabulary are ignored.
std::string decode(const Vocabulary& vocabulary, std::span<const std::int32_t> ids,
                   bool skip_special);

}  // namespace embd::wordpiece
