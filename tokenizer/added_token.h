#pragma once

#include <cstdint>

namespace embd {

/// A token that a text may contain literally. It is cut out of the text before the text is split
/// into words.
struct AddedToken {
  std::int32_t id = 0;
  /// True if it is looked for in the normalized text, so that <UNK> may be found as <unk>.
  bool normalized = false;
  bool lstrip = false;       ///< True if white space before the token becomes part of it.
  bool rstrip = false;       ///< True if white space behind the token becomes part of it.
  bool single_word = false;  ///< True if it is not found next to letters, digits and marks.
  /// True if it is no text, so that it is left out of a text that is made of tokens.
  bool special = true;
  /// True if it is outside the vocabulary of the model, which never cuts words into it.
  bool only_added = false;

  bool operator==(const AddedToken&) const = default;
};

}  // namespace embd
