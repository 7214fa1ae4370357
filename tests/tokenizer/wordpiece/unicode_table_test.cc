#include <gtest/gtest.h>

#include <string>

#include "tokenizer/wordpiece/unicode.h"

namespace embd::wordpiece {
namespace {

std::u32string text_of(const Decomposition& decomposition) {
  return {decomposition.code_points.data(), decomposition.size};
}

TEST(UnicodeTable, AgreesWithUtf8procOnEveryCodePoint) {
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    SCOPED_TRACE(static_cast<std::uint32_t>(c));
    ASSERT_EQ(unicode_table::category(c), unicode_utf8proc::category(c));
    ASSERT_EQ(unicode_table::lower_case(c), unicode_utf8proc::lower_case(c));
    ASSERT_EQ(text_of(unicode_table::decompose(c)), text_of(unicode_utf8proc::decompose(c)));
  }
}

TEST(UnicodeTable, KnowsEachKind) {
  EXPECT_EQ(unicode_table::category(U'a'), Category::other);
  EXPECT_EQ(unicode_table::category(U'\u3000'), Category::space);
  EXPECT_EQ(unicode_table::category(U'\0'), Category::control);
  EXPECT_EQ(unicode_table::category(U'\ue000'), Category::control);
  EXPECT_EQ(unicode_table::category(U'\u200d'), Category::format);
  EXPECT_EQ(unicode_table::category(U'\u0301'), Category::mark);
  EXPECT_EQ(unicode_table::category(U'…'), Category::punctuation);
  EXPECT_EQ(unicode_table::lower_case(U'Ǆ'), U'ǆ');
  EXPECT_EQ(unicode_table::lower_case(U'ß'), U'ß');
  EXPECT_EQ(text_of(unicode_table::decompose(U'ᾂ')), U"α\u0313\u0300\u0345");
  EXPECT_EQ(text_of(unicode_table::decompose(U'각')), U"\u1100\u1161\u11a8");
  EXPECT_EQ(text_of(unicode_table::decompose(U'가')), U"\u1100\u1161");
}

}  // namespace
}  // namespace embd::wordpiece
