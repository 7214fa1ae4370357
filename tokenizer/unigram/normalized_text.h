#pragma once

#include <cstddef>
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

/// A normalized code point, or a run of plain ones (see CharacterMap).
struct NormalizedCharacter {
  std::string_view text;    ///< UTF-8
  std::string_view source;  ///< where it comes from; the same bytes if they were kept
  char32_t code_point;      ///< of a run, the first one
};

/// Reads a text character by character as the character map makes it. Reads it as UTF-8; a
/// malformed part counts as U+FFFD. A copy goes on from the same place. Map and text must outlive
/// it, and the characters.
class NormalizedText {
 public:
  NormalizedText(const CharacterMap& map, std::string_view text) noexcept
      : map_(&map), at_(text.data()), end_(text.data() + text.size()), cluster_end_(at_) {}

  /// Puts the next character into `character`. Returns false at the end of the text.
  bool next(NormalizedCharacter& character) noexcept;

 private:
  std::string_view take_plain() noexcept;
  void take_code_point() noexcept;
  void take_cluster() noexcept;

  const CharacterMap* map_;
  const char* at_;
  const char* end_;
  /// Behind at_ while the code points of a cluster are taken one by one.
  const char* cluster_end_;
  std::string_view source_;  ///< the code point or cluster that was taken last
  std::string_view rest_;    ///< what is left of what it became
};

}  // namespace embd::unigram
