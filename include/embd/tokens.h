#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace embd {

/// A range of bytes in a text: from offset `begin` up to, but not including, offset `end`.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const ByteRange&) const = default;
};

/// A range of characters (Unicode code points) in a text: from character number `begin`, counted
/// from 0, up to, but not including, number `end`.
struct CharacterRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const CharacterRange&) const = default;
};

/// The place of a piece of a text, given both in bytes and in characters.
struct TextPlace {
  ByteRange bytes;
  CharacterRange characters;

  bool operator==(const TextPlace&) const = default;
};

/// A pair of texts that a model reads together, such as a question and a passage. The strings
/// belong to the caller.
struct TextPair {
  std::string_view first;
  std::string_view second;
};

/// A range of tokens: from index `begin` up to, but not including, index `end`.
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool contains(std::size_t token) const noexcept { return token >= begin && token < end; }
  bool operator==(const TokenRange&) const = default;
};

/// The tokens of a text, or of a pair of texts, as a model reads them, including special tokens
/// such as [CLS] and [SEP] that the tokenizer puts around each text.
struct Tokens {
  std::vector<std::int32_t> ids;  ///< the numbers of the tokens in the vocabulary
  /// The token type of each token, as many as ids: the number of its text in a pair, 0 or 1, for
  /// models that distinguish them; otherwise 0.
  std::vector<std::uint8_t> types;
  /// The range of bytes in the text that each token stands for, as many as ids. It reaches from the
  /// first character that has a part in the token to the last one. Characters that vanish in
  /// normalization (control characters, separate accents) are only included between two such
  /// characters. A character that becomes several tokens is in the range of each. Special tokens,
  /// and tokens of the prompt alone, have an empty range at 0.
  std::vector<ByteRange> ranges;
  TokenRange first;   ///< the tokens of the text, or of the first text of a pair
  TokenRange second;  ///< the tokens of the second text; empty without one
  /// The number of tokens before cutting, special tokens included.
  std::uint64_t whole_length = 0;
  bool truncated = false;  ///< true if a text was cut

  /// Returns true if the token is not part of a text, but was put around it by the tokenizer. The
  /// letters "[SEP]" in a text give the id of a special token, but count as part of the text.
  bool is_special(std::size_t token) const noexcept {
    return !first.contains(token) && !second.contains(token);
  }
};

}  // namespace embd
