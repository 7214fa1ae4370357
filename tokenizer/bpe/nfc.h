#pragma once

#include <string_view>
#include <vector>

#include "tokenizer/aligned_text.h"

namespace embd::bpe {

/// Composes texts: the normalization form NFC with the tables of Unicode 9, which `tokenizers` has.
/// A code point of a later version stands for itself. Not for several threads at the same time.
class Composer {
 public:
  /// Returns true if a text has a code point that its normalization may change.
  static bool may_change(std::string_view text) noexcept;

  /// Replaces the content of `out` by the normalization of a text, which is valid UTF-8. Takes time
  /// proportional to the length of the text, and n log n of its longest run of marks. Throws
  /// std::bad_alloc.
  void normalize(std::string_view text, AlignedText& out);

 private:
  /// A code point of a decomposed stretch.
  struct Part {
    char32_t code_point;
    unsigned combining_class;
  };

  /// Adds the decomposition of a code point to parts_.
  void decompose(char32_t code_point);
  /// Brings marks into the order of their classes.
  void reorder();
  /// Joins the parts that have a composition.
  void compose();

  std::vector<Part> parts_;
};

}  // namespace embd::bpe
