#include "tokenizer/wordpiece/normalize.h"

#include <utf8proc.h>

#include <algorithm>
#include <memory>
#include <ranges>
#include <span>

#include "tokenizer/wordpiece/unicode.h"
#include "tokenizer/wordpiece/unicode_overrides.h"

namespace embd::wordpiece {
namespace {

bool contains(std::span<const CodePointRange> ranges, char32_t code_point) noexcept {
  const auto after = std::ranges::upper_bound(ranges, code_point, {}, &CodePointRange::first);
  return after != ranges.begin() && code_point <= std::prev(after)->last;
}

bool is_space(char32_t c) noexcept {
  return c == '\t' || c == '\n' || c == '\r' || unicode::category(c) == Category::space;
}

/// Returns true for a control character. TAB, LF and CR are control characters, too, so is_space()
/// must be asked first.
bool is_control(char32_t c) noexcept {
  if (c == 0xfffd) return true;
  const Category category = unicode::category(c);
  return category == Category::control ||
         (category == Category::format && !contains(kept_formats, c));
}

bool is_mark(char32_t c) noexcept {
  if (unicode::category(c) == Category::mark) return !contains(kept_marks, c);
  return contains(stripped_marks, c);
}

bool is_punctuation(char32_t c) noexcept {
  if (c < 0x80) return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9') && ((c | 0x20U) - 'a') > 25;
  if (unicode::category(c) == Category::punctuation) return !contains(not_punctuation, c);
  return contains(punctuation, c);
}

constexpr char32_t capital_i_with_dot = 0x130;
constexpr char32_t combining_dot_above = 0x307;

void append(NormalizedCharacter& to, char32_t code_point) noexcept {
  to.size += static_cast<std::uint8_t>(
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point),
                           reinterpret_cast<utf8proc_uint8_t*>(to.utf8.data()) + to.size));
  ++to.code_points;
}

NormalizedCharacter normalize(char32_t code_point, bool lower_case, bool strip_accents) noexcept {
  NormalizedCharacter result;
  if (is_space(code_point)) {
    result.character_class = CharacterClass::space;
    return result;
  }
  if (is_control(code_point)) return result;

  const Decomposition parts = strip_accents ? unicode::decompose(code_point)
                                            : Decomposition{.code_points = {code_point}, .size = 1};
  bool alone = is_ideograph(code_point);
  for (const char32_t part : std::span(parts.code_points).first(parts.size)) {
    if (strip_accents && is_mark(part)) continue;
    const char32_t kept = lower_case ? unicode::lower_case(part) : part;
    append(result, kept);
    // The only code point whose lower case is two.
    if (lower_case && part == capital_i_with_dot) append(result, combining_dot_above);
    alone = alone || is_punctuation(kept);
  }
  if (result.size == 0) return result;
  result.character_class = alone ? CharacterClass::alone : CharacterClass::word;
  return result;
}

}  // namespace

bool is_ideograph(char32_t code_point) noexcept {
  static constexpr auto blocks = std::to_array<CodePointRange>({{0x3400, 0x4dbf},
                                                                {0x4e00, 0x9fff},
                                                                {0xf900, 0xfaff},
                                                                {0x20000, 0x2a6df},
                                                                {0x2a700, 0x2b81f},
                                                                {0x2b920, 0x2ceaf},
                                                                {0x2f800, 0x2fa1f}});
  return contains(blocks, code_point);
}

Normalizer::~Normalizer() {
  for (const auto& page : pages_) delete page.load(std::memory_order_relaxed);
}

const Normalizer::Page* Normalizer::build_page(std::size_t index) const {
  auto page = std::make_unique<Page>();
  for (std::size_t i = 0; i < page->size(); ++i) {
    (*page)[i] = normalize(static_cast<char32_t>(index << 8 | i), lower_case_, strip_accents_);
  }
  // Two threads may have built the same page: the first one's is kept.
  const Page* present = nullptr;
  if (!pages_[index].compare_exchange_strong(present, page.get(), std::memory_order_acq_rel)) {
    return present;
  }
  return page.release();
}

}  // namespace embd::wordpiece
