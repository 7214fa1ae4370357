#include "base/utf8.h"

#include <gtest/gtest.h>

namespace embd {
namespace {

TEST(Utf8, AcceptsEveryLength) {
  EXPECT_EQ(find_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("plain text of more than eight bytes"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("\u00e9\u20ac\U0001f600"), std::nullopt);
}

TEST(Utf8, NamesTheFirstBadByte) {
  EXPECT_EQ(find_invalid_utf8("12345678901\xff"), 11U);
  EXPECT_EQ(find_invalid_utf8("\xc3"), 0U);                 // cut
  EXPECT_EQ(find_invalid_utf8("a\xc0\x80"), 1U);            // overlong
  EXPECT_EQ(find_invalid_utf8("ab\xed\xa0\x80"), 2U);       // surrogate
  EXPECT_EQ(find_invalid_utf8("abc\xf4\x90\x80\x80"), 3U);  // over U+10FFFF
}

}  // namespace
}  // namespace embd
