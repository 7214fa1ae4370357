#pragma once

#include <bitset>
#include <memory>
#include <string_view>

#include "tokenizer/unigram/character_map.h"

namespace embd::unigram {

/// The rule by which `tokenizers` 0.23 applies a character map. It is not SentencePiece's, which
/// takes the longest key, and may change: a tokenizer that follows another rule has another hash.
///
/// A grapheme cluster (Unicode 17) of less than 6 bytes becomes, as a whole, what the shortest key
/// at its front becomes. In any other cluster, and where there is no key, each code point is looked
/// up by itself, and stays if there is no key either.
inline constexpr std::string_view character_map_rule =
    "shortest key of a grapheme cluster below 6 bytes, Unicode 17";

/// A character map, and which characters need no look at it. Immutable. The map's bytes must
/// outlive it.
class Normalizer {
 public:
  /// Takes less than a millisecond, for what is_plain() knows. Throws std::bad_alloc.
  explicit Normalizer(const CharacterMap& map);

  const CharacterMap& map() const noexcept { return map_; }

  /// Returns whether a code point is plain: it stays as it is, is neither white space nor a word
  /// mark, and between two such characters there is always a cut between clusters. Most letters
  /// are; those above U+FFFF take the longer way.
  bool is_plain(char32_t code_point) const noexcept {
    return code_point < num_known && plain_[code_point];
  }

 private:
  static constexpr std::size_t num_known = 0x10000;

  CharacterMap map_;
  std::bitset<num_known> plain_;
};

}  // namespace embd::unigram
