#include "index/terms/word_runs.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "tokenizer/unicode_class.h"
#include "tokenizer/utf8_decode.h"

namespace embd {
namespace {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

/// Blocks whose letters are paired: Thai, Lao, Khmer, Hangul, Hiragana, Katakana and Han. The
/// planes 2 and 3 have Han characters only.
constexpr auto paired_blocks = std::to_array<CodePointRange>({
    {0x0e00, 0x0eff},    // Thai, Lao
    {0x1100, 0x11ff},    // Hangul Jamo
    {0x1780, 0x17ff},    // Khmer
    {0x3005, 0x3007},    // marks of repetition, and zero
    {0x3040, 0x30ff},    // Hiragana, Katakana
    {0x31f0, 0x31ff},    // Katakana
    {0x3400, 0x4dbf},    // Han
    {0x4e00, 0x9fff},    // Han
    {0xa960, 0xa97f},    // Hangul Jamo
    {0xac00, 0xd7ff},    // Hangul
    {0xf900, 0xfaff},    // Han
    {0x1aff0, 0x1b16f},  // Kana
    {0x20000, 0x3ffff},  // Han
});

bool is_paired_script(char32_t c) noexcept {
  if (c < paired_blocks.front().first) return false;
  const auto after = std::ranges::upper_bound(paired_blocks, c, {}, &CodePointRange::first);
  return c <= std::prev(after)->last;
}

bool is_joiner(char32_t c) noexcept {
  return c == '\'' || c == '.' || c == '_' || c == '-' || c == '/';
}

/// Returns true for a code point that may change together with the one before: a mark, a part of a
/// Hangul syllable, or a mark of voice of half width.
bool continues_unit(char32_t c) noexcept {
  if (c < 0x300) return false;
  if ((c >= 0x1160 && c <= 0x11ff) || (c >= 0xd7b0 && c <= 0xd7ff) || c == 0xff9e || c == 0xff9f)
    return true;
  return is_word_character(c) && unicode_class(c) == UnicodeClass::other;
}

/// Returns true for a code point that the form NFKC keeps, and a reader sees, if no part follows
/// it.
bool stays(char32_t c) noexcept {
  const utf8proc_property_t& property = *utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  return property.decomp_seqindex == UINT16_MAX && !property.ignorable;
}

bool is_ascii(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x80;
}

/// Returns the character that stands for `c` in words: there are two apostrophes and three hyphens.
char32_t plain_joiner(char32_t c) noexcept {
  return c == 0x2019 ? '\'' : c == 0x2010 ? '-' : c;
}

}  // namespace

bool is_word_part(char32_t c) noexcept {
  if (c < 0x80) return (c >= '0' && c <= '9') || ((c | 0x20U) >= 'a' && (c | 0x20U) <= 'z');
  // Unicode's words also have connectors: '_' is a joiner here, and the others divide.
  if (c == 0x203f || c == 0x2040 || c == 0x2054) return false;
  return is_word_character(c) || unicode_class(c) == UnicodeClass::number;
}

std::optional<Character> CharacterReader::next() {
  while (unit_at_ == unit_.size()) {
    if (at_ == text_.size()) return std::nullopt;
    if (is_ascii(text_[at_]) && (at_ + 1 == text_.size() || is_ascii(text_[at_ + 1]))) {
      const std::size_t begin = at_++;
      return Character{static_cast<unsigned char>(text_[begin]), {begin, at_}};
    }
    read_unit();
  }
  return unit_[unit_at_++];
}

/// Normalizes the code point at the current place and those that may change together with it.
void CharacterReader::read_unit() {
  unit_.clear();
  unit_at_ = 0;
  const char* const end = text_.data() + text_.size();
  const std::size_t begin = at_;
  const DecodedCodePoint first = decode_utf8(text_.data() + at_, end);
  at_ += first.size;
  if (first.code_point == 0xfffd) {
    unit_.push_back({0xfffd, {begin, at_}});
    return;
  }
  for (std::size_t count = 1; at_ < text_.size() && count < max_unit; ++count) {
    const DecodedCodePoint part = decode_utf8(text_.data() + at_, end);
    if (!continues_unit(part.code_point)) break;
    at_ += part.size;
  }
  if (at_ == begin + first.size && stays(first.code_point)) {
    unit_.push_back({plain_joiner(first.code_point), {begin, at_}});
    return;
  }

  constexpr std::size_t longest = 18;  // the most code points that one becomes, U+FDFA
  std::array<utf8proc_int32_t, max_unit * longest> code_points{};
  constexpr auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT |
                                                          UTF8PROC_COMPOSE | UTF8PROC_IGNORE);
  utf8proc_ssize_t size = utf8proc_decompose(
      reinterpret_cast<const utf8proc_uint8_t*>(text_.data() + begin),
      static_cast<utf8proc_ssize_t>(at_ - begin), code_points.data(), code_points.size(), options);
  if (size > 0) size = utf8proc_normalize_utf32(code_points.data(), size, options);
  for (utf8proc_ssize_t i = 0; i < size; ++i)
    unit_.push_back({plain_joiner(static_cast<char32_t>(code_points[i])), {begin, at_}});
}

std::optional<WordRun> WordRunReader::next() {
  run_.clear();
  if (!ahead_) ahead_ = characters_.next();
  while (ahead_ && !is_word_part(ahead_->code_point)) ahead_ = characters_.next();
  if (!ahead_) return std::nullopt;
  const bool is_paired = is_paired_script(ahead_->code_point);
  collect(is_paired);
  if (is_joiner(run_.back().code_point)) run_.pop_back();
  return WordRun{run_, is_paired};
}

/// Collects characters, from the one ahead on, as long as they belong to one run.
void WordRunReader::collect(bool is_paired) {
  for (; ahead_ && run_.size() < max_characters; ahead_ = characters_.next()) {
    const char32_t c = ahead_->code_point;
    const bool belongs = is_word_part(c)
                             ? is_paired_script(c) == is_paired
                             : !is_paired && is_joiner(c) && !is_joiner(run_.back().code_point);
    if (!belongs) return;
    run_.push_back(*ahead_);
  }
}

}  // namespace embd
