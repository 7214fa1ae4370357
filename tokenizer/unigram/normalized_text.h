#pragma once

#include <cstddef>
#include <string_view>

#include "tokenizer/unigram/normalizer.h"

namespace embd::unigram {

/// A normalized code point, or a run of code points that are kept and are neither white space nor
/// word marks.
struct NormalizedCharacter {
  std::string_view text;    ///< UTF-8
  std::string_view source;  ///< where it comes from; the same bytes if they were kept
  char32_t code_point;      ///< 0 for a run
};

/// Reads a text character by character as the normalizer makes it. Reads it as UTF-8; a
/// malformed part counts as U+FFFD. A copy goes on from the same place. Normalizer and text
/// must outlive it, and the characters.
class NormalizedText {
 public:
  NormalizedText(const Normalizer& normalizer, std::string_view text) noexcept
      : normalizer_(&normalizer), at_(text.data()), end_(text.data() + text.size()) {}

  /// Puts the next character into `character`. Returns false at the end of the text.
  bool next(NormalizedCharacter& character) noexcept;

 private:
  /// A grapheme cluster of the text.
  struct Cluster {
    std::string_view source;
    std::size_t size = 0;       ///< of its UTF-8, in which what is malformed is replaced
    bool is_malformed = false;  ///< in part
    bool is_code_point = false;
    bool is_kept = false;  ///< each of its code points by itself

    const char* begin() const noexcept { return source.data(); }
    const char* end() const noexcept { return source.data() + source.size(); }
    bool is_short() const noexcept;
    bool needs_no_look() const noexcept;
  };
  Cluster read_cluster() const noexcept;
  void take_plain() noexcept;
  std::string_view take_kept() noexcept;
  void take_code_point() noexcept;
  void take_cluster() noexcept;

  const Normalizer* normalizer_;
  const char* at_;
  const char* end_;
  Cluster cluster_;          ///< the one at at_, or that at_ is inside, or an earlier one
  std::string_view source_;  ///< the code point or cluster that was taken last
  std::string_view rest_;    ///< what is left of what it became
};

}  // namespace embd::unigram
