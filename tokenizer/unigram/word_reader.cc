#include "tokenizer/unigram/word_reader.h"

#include <algorithm>

#include "tokenizer/unicode_class.h"

namespace embd::unigram {
namespace {

/// The number of bytes, and of stretches, whose memory is kept from word to word.
constexpr std::size_t kept_capacity = std::size_t{1} << 16;

bool continues_code_point(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

}  // namespace

void Word::clear(bool keeps_sources) noexcept {
  text_.clear();
  stretches_.clear();
  keeps_sources_ = keeps_sources;
  taken_ = first_stretch_ = 0;
}

void Word::append_mark() {
  text_.append(word_mark);
  if (keeps_sources_) stretches_.push_back({text_.size(), {}, false});
}

void Word::shrink() noexcept {
  if (text_.capacity() > kept_capacity) text_ = {};
  if (stretches_.capacity() > kept_capacity) stretches_ = {};
}

std::string_view Word::source_of(std::size_t index, std::size_t begin,
                                 std::size_t end) const noexcept {
  const SourceStretch& stretch = stretches_[index];
  if (!stretch.is_kept) return stretch.source;
  const std::size_t stretch_begin = begin_of(index);
  std::size_t first = std::max(begin, stretch_begin) - stretch_begin;
  std::size_t last = std::min(end, stretch.end) - stretch_begin;
  // A piece of one byte (byte fallback) stands for the whole character.
  while (first > 0 && continues_code_point(stretch.source[first])) --first;
  while (last < stretch.source.size() && continues_code_point(stretch.source[last])) ++last;
  return stretch.source.substr(first, last - first);
}

std::string_view Word::take_source(std::size_t size) noexcept {
  const std::size_t begin = taken_;
  const std::size_t end = taken_ += size;
  while (first_stretch_ < stretches_.size() && stretches_[first_stretch_].end <= begin) {
    ++first_stretch_;
  }
  std::string_view all;
  for (std::size_t i = first_stretch_; i < stretches_.size() && begin_of(i) < end; ++i) {
    const std::string_view source = source_of(i, begin, end);
    if (source.data() == nullptr) continue;
    const char* const first = all.data() == nullptr ? source.data() : all.data();
    all = {first, source.data() + source.size()};
  }
  return all;
}

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
