#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/aligned_text.h"
#include "tokenizer/unigram/normalized_text.h"
#include "tokenizer/unigram/options.h"

namespace embd::unigram {

/// A normalized word with its word mark and, if wanted, the places in the original text that its
/// characters come from.
class Word {
 public:
  /// Empties the word. `keeps_sources` must be true if take_source() will be called.
  void clear(bool keeps_sources) noexcept;
  /// Appends the replacement of `source`, a part of the original text; the same bytes if it was not
  /// changed.
  void append(std::string_view text, std::string_view source) {
    text_.append(text);
    if (keeps_sources_) add_stretch(stretches_, text_.size(), text, source);
  }
  /// Appends a word mark "▁" that no character of the original text stands for.
  void append_mark();
  /// Frees memory that only a very long word needs.
  void shrink() noexcept;

  bool empty() const noexcept { return text_.empty(); }
  std::string_view text() const noexcept { return text_; }

  /// Returns the part of the original text that the next `size` bytes of the word come from: from
  /// the first character that has a part in them to the last. Its data() is null if they come from
  /// none. Each call continues where the call before ended.
  std::string_view take_source(std::size_t size) noexcept;

 private:
  /// Returns the part of the source of run `index` that [begin, end) of the word comes from.
  std::string_view source_of(std::size_t index, std::size_t begin, std::size_t end) const noexcept;
  std::size_t begin_of(std::size_t index) const noexcept {
    return index == 0 ? 0 : stretches_[index - 1].end;
  }

  std::string text_;
  bool keeps_sources_ = false;
  std::vector<SourceStretch> stretches_;
  std::size_t taken_ = 0;          ///< bytes of the word whose source was returned
  std::size_t first_stretch_ = 0;  ///< the run that contains the byte after them
};

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
