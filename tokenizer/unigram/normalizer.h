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

/// A character map, and which characters need no look into it. Immutable. The map's bytes must
/// outlive it.
class Normalizer {
 public:
  /// Takes less than a millisecond, for what keeps() and is_plain() know. Throws std::bad_alloc.
  explicit Normalizer(const CharacterMap& map);

  const CharacterMap& map() const noexcept { return map_; }

  /// Returns whether a code point that is looked up by itself stays as it is, and is neither white
  /// space nor a word mark. False for some above U+FFFF, which take the longer way.
  bool keeps(char32_t code_point) const noexcept {
    return code_point < num_known && kept_[code_point];
  }
  /// The same for a plain code point: between any two of them there is always a cut between
  /// clusters. Most letters are plain.
  bool is_plain(char32_t code_point) const noexcept {
    return code_point < num_known && plain_[code_point];
  }

 private:
  static constexpr std::size_t num_known = 0x10000;

  CharacterMap map_;
  std::bitset<num_known> kept_;
  std::bitset<num_known> plain_;
};

}  // namespace embd::unigram
