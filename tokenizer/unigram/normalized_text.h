#pragma once

#include <cstddef>
#include <string_view>

#include "tokenizer/unigram/normalizer.h"

namespace embd::unigram {

/// A normalized code point, or a run of plain ones (see Normalizer).
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
      : normalizer_(&normalizer),
        at_(text.data()),
        end_(text.data() + text.size()),
        cluster_end_(at_) {}

  /// Puts the next character into `character`. Returns false at the end of the text.
  bool next(NormalizedCharacter& character) noexcept;

 private:
  std::string_view take_plain() noexcept;
  void take_code_point() noexcept;
  void take_cluster() noexcept;

  const Normalizer* normalizer_;
  const char* at_;
  const char* end_;
  /// Behind at_ while the code points of a cluster are taken one by one.
  const char* cluster_end_;
  std::string_view source_;  ///< the code point or cluster that was taken last
  std::string_view rest_;    ///< what is left of what it became
};

}  // namespace embd::unigram
