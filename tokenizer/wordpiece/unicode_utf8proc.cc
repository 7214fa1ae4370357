#include <utf8proc.h>

#include <algorithm>

#include "tokenizer/wordpiece/unicode.h"

namespace embd::wordpiece::unicode_utf8proc {

Category category(char32_t code_point) noexcept {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return Category::space;
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CO:
      return Category::control;
    case UTF8PROC_CATEGORY_CF:
      return Category::format;
    case UTF8PROC_CATEGORY_MN:
      return Category::mark;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PO:
    case UTF8PROC_CATEGORY_PS:
      return Category::punctuation;
    default:
      return Category::other;
  }
}

Decomposition decompose(char32_t code_point) noexcept {
  std::array<utf8proc_int32_t, Decomposition::max_size> parts{};
  const auto size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), parts.data(),
                                            parts.size(), UTF8PROC_DECOMPOSE, nullptr);
  Decomposition result{.size = static_cast<std::size_t>(size)};
  std::ranges::copy(parts, result.code_points.begin());
  return result;
}

char32_t lower_case(char32_t code_point) noexcept {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point)));
}

}  // namespace embd::wordpiece::unicode_utf8proc
