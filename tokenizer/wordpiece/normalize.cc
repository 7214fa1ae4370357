#include "tokenizer/wordpiece/normalize.h"

#include <utf8proc.h>

#include <algorithm>
#include <memory>
#include <ranges>
#include <span>

#include "tokenizer/wordpiece/unicode_overrides.h"

namespace embd::wordpiece {
namespace {

bool contains(std::span<const CodePointRange> ranges, char32_t code_point) noexcept {
  const auto after = std::ranges::upper_bound(ranges, code_point, {}, &CodePointRange::first);
  return after != ranges.begin() && code_point <= std::prev(after)->last;
}

utf8proc_category_t category(char32_t code_point) noexcept {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

bool is_space(char32_t c) noexcept {
  if (c == '\t' || c == '\n' || c == '\r') return true;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      return false;
  }
}

/// Not white space: TAB, LF and CR are controls too.
bool is_control(char32_t c) noexcept {
  if (c == 0xfffd) return true;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CO:
      return true;
    case UTF8PROC_CATEGORY_CF:
      return !contains(kept_formats, c);
    default:
      return false;
  }
}

bool is_mark(char32_t c) noexcept {
  if (category(c) == UTF8PROC_CATEGORY_MN) return !contains(kept_marks, c);
  return contains(stripped_marks, c);
}

bool is_punctuation(char32_t c) noexcept {
  if (c < 0x80) return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9') && ((c | 0x20U) - 'a') > 25;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PO:
    case UTF8PROC_CATEGORY_PS:
      return !contains(not_punctuation, c);
    default:
      return contains(punctuation, c);
  }
}

/// The blocks that BERT sets apart: not Hangul, kana or the newer extensions, and with a gap before
/// U+2B920.
bool is_ideograph(char32_t c) noexcept {
  static constexpr auto blocks = std::to_array<CodePointRange>({{0x3400, 0x4dbf},
                                                                {0x4e00, 0x9fff},
                                                                {0xf900, 0xfaff},
                                                                {0x20000, 0x2a6df},
                                                                {0x2a700, 0x2b81f},
                                                                {0x2b920, 0x2ceaf},
                                                                {0x2f800, 0x2fa1f}});
  return contains(blocks, c);
}

void append(NormalizedCharacter& to, char32_t code_point) noexcept {
  to.size += static_cast<std::uint8_t>(
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point),
                           reinterpret_cast<utf8proc_uint8_t*>(to.utf8.data()) + to.size));
  ++to.code_points;
}

NormalizedCharacter normalize(char32_t code_point, bool lower_case) noexcept {
  NormalizedCharacter result;
  if (is_space(code_point)) {
    result.character_class = CharacterClass::space;
    return result;
  }
  if (is_control(code_point)) return result;

  // A canonical decomposition has at most four code points.
  std::array<utf8proc_int32_t, 4> decomposed{static_cast<utf8proc_int32_t>(code_point)};
  utf8proc_ssize_t count = 1;
  if (lower_case) {
    count = utf8proc_decompose_char(decomposed[0], decomposed.data(), decomposed.size(),
                                    UTF8PROC_DECOMPOSE, nullptr);
  }
  bool alone = is_ideograph(code_point);
  for (const utf8proc_int32_t part :
       std::span(decomposed.data(), static_cast<std::size_t>(count))) {
    auto kept = static_cast<char32_t>(part);
    if (lower_case) {
      if (is_mark(kept)) continue;
      kept = static_cast<char32_t>(utf8proc_tolower(part));
    }
    append(result, kept);
    alone = alone || is_punctuation(kept);
  }
  if (result.size == 0) return result;
  result.character_class = alone ? CharacterClass::alone : CharacterClass::word;
  return result;
}

}  // namespace

Normalizer::~Normalizer() {
  for (const auto& page : pages_) delete page.load(std::memory_order_relaxed);
}

const Normalizer::Page* Normalizer::build_page(std::size_t index) const {
  auto page = std::make_unique<Page>();
  for (std::size_t i = 0; i < page->size(); ++i) {
    (*page)[i] = normalize(static_cast<char32_t>(index << 8 | i), lower_case_);
  }
  // Two threads may have built the same page: the first one's is kept.
  const Page* present = nullptr;
  if (!pages_[index].compare_exchange_strong(present, page.get(), std::memory_order_acq_rel)) {
    return present;
  }
  return page.release();
}

}  // namespace embd::wordpiece
