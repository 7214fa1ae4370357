#include "base/utf8.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <optional>
#include <string>
#include <string_view>

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

std::optional<std::size_t> find_invalid_by_utf8proc(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    utf8proc_int32_t code_point;
    const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + i,
                                       static_cast<utf8proc_ssize_t>(text.size() - i), &code_point);
    if (size < 0) return i;
    i += static_cast<std::size_t>(size);
  }
  return std::nullopt;
}

/// Every first byte with every edge of what may follow, at every place in eight bytes.
TEST(Utf8, AgreesWithUtf8procOnEverySequence) {
  constexpr std::string_view edges = "\x01\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xff";
  for (unsigned lead = 0; lead < 256; ++lead) {
    for (const char second : edges) {
      for (const char third : edges) {
        for (const char fourth : edges) {
          const std::string bytes = {static_cast<char>(lead), second, third, fourth};
          for (std::size_t size = 1; size <= bytes.size(); ++size) {
            const std::string text = std::string(lead % 8, 'a') + bytes.substr(0, size);
            ASSERT_EQ(find_invalid_utf8(text), find_invalid_by_utf8proc(text)) << size;
          }
        }
      }
    }
  }
}

TEST(Utf8, APrefixHasWholeCharacters) {
  EXPECT_EQ(utf8_prefix("", 0), "");
  EXPECT_EQ(utf8_prefix("aé", 3), "aé");
  EXPECT_EQ(utf8_prefix("aé", 2), "a");
  EXPECT_EQ(utf8_prefix("é", 1), "");
  EXPECT_EQ(utf8_prefix("a😀b", 4), "a");
  EXPECT_EQ(utf8_prefix("a😀b", 5), "a😀");
}

TEST(Utf8, EveryByteBeginsACharacterButThoseThatContinueOne) {
  for (int byte = 0; byte < 256; ++byte)
    EXPECT_EQ(begins_character(static_cast<char>(byte)), byte < 0x80 || byte > 0xbf) << byte;
}

TEST(Utf8, CharactersAreCountedAndCut) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("aé€😀b"), 5U);
  EXPECT_EQ(first_characters("", 0), "");
  EXPECT_EQ(first_characters("", 2), "");
  EXPECT_EQ(first_characters("aé€😀b", 0), "");
  EXPECT_EQ(first_characters("aé€😀b", 2), "aé");
  EXPECT_EQ(first_characters("aé€😀b", 4), "aé€😀");
  EXPECT_EQ(first_characters("aé€😀b", 5), "aé€😀b");
  EXPECT_EQ(first_characters("aé€😀b", 6), "aé€😀b");
  EXPECT_EQ(shortened("aé€😀b", 4), "aé€😀…");
  EXPECT_EQ(shortened("aé€😀b", 5), "aé€😀b");
}

TEST(Utf8, CodePointsOfEveryLengthAreAppended) {
  std::string text = "=";
  for (const char32_t code_point :
       {0x0U, 0x7fU, 0x80U, 0x7ffU, 0x800U, 0xffffU, 0x10000U, 0x10ffffU})
    append_utf8(code_point, text);
  using namespace std::string_view_literals;
  EXPECT_EQ(text,
            "=\x00\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"sv);
}

TEST(Utf8, ClassesAreThoseOfAscii) {
  const std::string_view digits = "0123456789";
  const std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    EXPECT_EQ(is_ascii_digit(c), digits.contains(c)) << byte;
    EXPECT_EQ(is_ascii_letter(c), letters.contains(c)) << byte;
    EXPECT_EQ(is_ascii_alphanumeric(c), digits.contains(c) || letters.contains(c)) << byte;
  }
}

TEST(Utf8, BlanksAreCutAtBothEnds) {
  EXPECT_EQ(trimmed(" \ta b\t ", " \t"), "a b");
  EXPECT_EQ(trimmed("\ta", " "), "\ta");
  EXPECT_EQ(trimmed("  ", " "), "");
  EXPECT_EQ(trimmed("", " "), "");
}

TEST(Utf8, SmallLettersAreThoseOfAscii) {
  EXPECT_EQ(in_small_letters("AbZ@[`{09Ä"), "abz@[`{09Ä");
  EXPECT_EQ(in_small_letters(""), "");
}

}  // namespace
}  // namespace embd
