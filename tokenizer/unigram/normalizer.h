#pragma once

#include <bitset>
#include <memory>
#include <string_view>

#include "tokenizer/unigram/character_map.h"

namespace embd::unigram {

/// A character map together with the rule CharacterMapRule::clusters_of_unicode_17, and a table of
/// the code points that need no search in the map. Immutable. The bytes of the map must outlive it.
class Normalizer {
 public:
  /// Makes the table, in less than a millisecond. Throws std::bad_alloc.
  explicit Normalizer(const CharacterMap& map);

  const CharacterMap& map() const noexcept { return map_; }

  /// Returns true if a code point stays unchanged when it is looked up alone, and is neither white
  /// space nor a word mark. Returns false for some such code points above U+FFFF, which are then
  /// looked up.
  bool keeps(char32_t code_point) const noexcept {
    return code_point < num_known && kept_[code_point];
  }
  /// Returns true if a code point is plain: it stays unchanged, and there is a boundary between
  /// clusters between any two plain code points. Most letters are plain.
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
