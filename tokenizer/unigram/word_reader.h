#pragma once

#include <string_view>

#include "tokenizer/unigram/normalized_text.h"
#include "tokenizer/unigram/options.h"
#include "tokenizer/unigram/word.h"

namespace embd::unigram {

/// Reads the words of a text that contains no added tokens: normalizes it, and turns white space
/// into word marks as the options say. Takes time linear in the text. The normalizer, the options
/// and the text must outlive it.
class WordReader {
 public:
  /// `begins_text` is true if nothing stands before `text` in the original text.
  WordReader(const Normalizer& normalizer, const WordOptions& options, std::string_view text,
             bool begins_text) noexcept;

  /// Appends the next word to `word`, which must be empty. Returns false if there is none. Throws
  /// std::bad_alloc.
  bool next(Word& word);

 private:
  bool next_between_white_space(Word& word);
  bool next_at_mark(Word& word);
  void advance() noexcept { at_end_ = !text_.next(character_); }
  bool ends_before_character(const Word& word) const noexcept;
  void take_character(Word& word);
  void take_spaces(Word& word);
  bool only_white_space_left() noexcept;
  bool prepends() const noexcept;

  const WordOptions* options_;
  bool begins_text_;
  NormalizedText text_;
  NormalizedCharacter character_{};  ///< the next character, unless at_end_ is true
  bool at_end_ = false;
  /// True if text is known to follow the white space that is being read.
  bool text_follows_ = false;
};

}  // namespace embd::unigram
