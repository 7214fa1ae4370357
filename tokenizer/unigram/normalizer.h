#pragma once

#include <bitset>
#include <memory>
#include <string_view>

#include "tokenizer/unigram/character_map.h"

namespace embd::unigram {

/// A character map, applied by CharacterMapRule::clusters_of_unicode_17, and which characters need
/// no look into it. Immutable. The map's bytes must outlive it.
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
  /// Returns whether a code point is plain: it is kept, and between any two plain ones there is
  /// always a cut between clusters. Most letters are plain.
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
