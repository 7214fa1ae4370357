#include "tokenizer/unigram/word_reader.h"

#include "tokenizer/white_space.h"

namespace embd::unigram {

WordReader::WordReader(const Normalizer& normalizer, const WordOptions& options,
                       std::string_view text, bool begins_text) noexcept
    : options_(&options), begins_text_(begins_text), text_(normalizer, text) {
  advance();
}

bool WordReader::next(Word& word) {
  return options_->layout == Layout::words ? next_between_white_space(word) : next_at_mark(word);
}

bool WordReader::next_between_white_space(Word& word) {
  for (; !at_end_; advance()) {
    if (is_white_space(character_.code_point)) {
      if (!word.empty()) return true;
    } else {
      if (ends_before_character(word)) return true;
      take_character(word);
    }
  }
  return !word.empty();
}

bool WordReader::next_at_mark(Word& word) {
  while (!at_end_) {
    if (options_->strip_right && only_white_space_left()) {
      at_end_ = true;
    } else if (ends_before_character(word)) {
      return true;
    } else if (character_.code_point == ' ') {
      take_spaces(word);
    } else {
      take_character(word);
      advance();
    }
  }
  return !word.empty();
}

bool WordReader::ends_before_character(const Word& word) const noexcept {
  const char32_t c = character_.code_point;
  return options_->split && !word.empty() && (c == ' ' || c == word_mark_code_point);
}

void WordReader::take_character(Word& word) {
  if (word.empty() && character_.code_point != word_mark_code_point && prepends()) {
    word.append_mark();
  }
  word.append(character_.text, character_.source);
}

void WordReader::take_spaces(Word& word) {
  word.append_mark();
  advance();
  while (options_->merge_spaces && !at_end_ && character_.code_point == ' ') advance();
}

/// Returns true if nothing but white space is left. Looks ahead once for each run of white space.
bool WordReader::only_white_space_left() noexcept {
  if (!is_white_space(character_.code_point)) {
    text_follows_ = false;
    return false;
  }
  if (text_follows_) return false;
  NormalizedText ahead = text_;
  for (NormalizedCharacter character; ahead.next(character);) {
    if (!is_white_space(character.code_point)) {
      text_follows_ = true;
      return false;
    }
  }
  return true;
}

bool WordReader::prepends() const noexcept {
  switch (options_->prepend_scheme) {
    case PrependScheme::always:
      return true;
    case PrependScheme::first:
      return begins_text_;
    case PrependScheme::never:
      return false;
  }
  return false;
}

}  // namespace embd::unigram
