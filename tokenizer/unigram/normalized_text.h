#pragma once

#include <cstddef>
#include <string_view>

#include "tokenizer/unigram/normalizer.h"

namespace embd::unigram {

/// A normalized code point; or a run of code points that normalization does not change and that are
/// neither white space nor word marks.
struct NormalizedCharacter {
  std::string_view text;  ///< UTF-8
  /// The bytes of the original text that it comes from; the same bytes as `text` if they were not
  /// changed.
  std::string_view source;
  char32_t code_point;  ///< 0 for a run
};

/// Reads the characters of a text as the normalizer makes them. The text is read as UTF-8; a
/// malformed part counts as U+FFFD. A copy continues from the same place. The normalizer and the
/// text must outlive it and the characters that it returns.
class NormalizedText {
 public:
  NormalizedText(const Normalizer& normalizer, std::string_view text) noexcept
      : normalizer_(&normalizer), at_(text.data()), end_(text.data() + text.size()) {}

  /// Stores the next character in `character`. Returns false at the end of the text.
  bool next(NormalizedCharacter& character) noexcept;

 private:
  /// A grapheme cluster of the text.
  struct Cluster {
    std::string_view source;
    std::size_t size = 0;  ///< bytes of its UTF-8, after malformed parts are replaced
    /// True if it contains a malformed part.
    bool is_malformed = false;
    bool is_code_point = false;
    bool is_kept = false;  ///< true if each of its code points stays unchanged

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
  Cluster cluster_;          ///< the cluster that at_ is at or inside of, or an earlier one
  std::string_view source_;  ///< the code point or cluster that was read last
  std::string_view rest_;    ///< the part of its replacement that was not returned yet
};

}  // namespace embd::unigram
