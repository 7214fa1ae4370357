#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/wordpiece/vocabulary.h"

namespace embd::wordpiece {

/// Finds the special tokens that a text spells out, such as "[SEP]". They are cut out of the raw
/// text before anything else looks at it, case-sensitively and also inside words, so a text can
/// hold tokens that are not words: Hugging Face's tokenizers do the same.
class SpecialTokenFinder {
 public:
  /// Copies the tokens' views; their bytes must outlive it.
  explicit SpecialTokenFinder(const Vocabulary& vocabulary);

  struct Found {
    std::size_t position;  ///< text.size() if there is none
    std::size_t size;
    std::int32_t id;
  };
  /// The leftmost special token at or after `from`; of several at one place, the longest.
  Found find(std::string_view text, std::size_t from) const noexcept;

 private:
  struct Token {
    std::string_view text;
    std::int32_t id;
  };
  /// The first place at or after `from` where a token may begin; not in the text if there is none.
  std::size_t find_first_byte(std::string_view text, std::size_t from) const noexcept;

  std::vector<Token> longest_first_;
  std::string first_bytes_;  ///< of the tokens, each once
};

}  // namespace embd::wordpiece
