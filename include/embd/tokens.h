#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "embd/byte_range.h"

namespace embd {

/// Two texts that a model reads together, such as a question and a passage.
struct TextPair {
  std::string_view first;
  std::string_view second;
};

/// Tokens [begin, end) of a text.
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool contains(std::size_t token) const noexcept { return token >= begin && token < end; }
  bool operator==(const TokenRange&) const = default;
};

/// The tokens of a text, or of a pair of texts, as a model reads them: with the special tokens that
/// its tokenizer puts around each text, such as [CLS] and [SEP].
struct Tokens {
  std::vector<std::int32_t> ids;
  /// The token type of each, [ids]: which of the two texts it belongs to, where the model tells
  /// them apart; 0 otherwise.
  std::vector<std::uint8_t> types;
  /// The bytes of its text that each token stands for, [ids]: from the first character of which
  /// something is in the token to the last one. What vanishes (controls, accents that are
  /// characters of their own) counts only between two such characters, and a character that becomes
  /// several tokens is in the range of each. Empty, at 0, for special tokens and tokens of the
  /// prompt alone.
  std::vector<ByteRange> ranges;
  TokenRange first;   ///< the tokens of the text, or of the first of a pair
  TokenRange second;  ///< the tokens of the second text; empty if there is none
  /// Tokens before the cut, special ones counted.
  std::uint64_t whole_length = 0;
  bool truncated = false;

  /// Returns true for a token that is no part of a text but one that the tokenizer put around it.
  /// "[SEP]" in a text gives the id of such a token and is a part of the text.
  bool is_special(std::size_t token) const noexcept {
    return !first.contains(token) && !second.contains(token);
  }
};

}  // namespace embd
