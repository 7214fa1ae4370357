#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/wordpiece/vocabulary.h"

namespace embd::wordpiece {

/// Finds special tokens that a text contains literally, such as "[SEP]". They are cut out of the
/// raw text before any other step, case-sensitively and also inside words, as Hugging Face's
/// tokenizers do.
class SpecialTokenFinder {
 public:
  /// Copies views of the tokens; the vocabulary's bytes must outlive this object.
  explicit SpecialTokenFinder(const Vocabulary& vocabulary);

  struct Found {
    std::size_t position;  ///< text.size() if there is none
    std::size_t size;
    std::int32_t id;
  };
  /// Returns the leftmost special token at or after `from`; of several at the same place, the
  /// longest.
  Found find(std::string_view text, std::size_t from) const noexcept;

 private:
  struct Token {
    std::string_view text;
    std::int32_t id;
  };
  /// Returns the first place at or after `from` where a token may begin; a place outside the text
  /// if there is none.
  std::size_t find_first_byte(std::string_view text, std::size_t from) const noexcept;

  std::vector<Token> longest_first_;
  std::string first_bytes_;  ///< the first byte of each token, without repeats
};

}  // namespace embd::wordpiece
