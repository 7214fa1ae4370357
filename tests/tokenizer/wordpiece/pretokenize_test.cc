#include "tokenizer/wordpiece/pretokenize.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace embd::wordpiece {
namespace {

using Words = std::vector<std::string>;

Words words(std::string_view text) {
  const Normalizer normalizer(true);
  Words all;
  Word word;
  for (std::size_t position = 0; next_word(normalizer, text, position, word);) {
    all.emplace_back(word.too_long() ? "<too long>" : word.text());
  }
  return all;
}

TEST(Pretokenize, SplitsAtWhiteSpace) {
  EXPECT_EQ(words(""), Words{});
  EXPECT_EQ(words(" \t\r\n\u00a0\u2028\u3000"), Words{});
  EXPECT_EQ(words("  two\u00a0words\n"), (Words{"two", "words"}));
}

TEST(Pretokenize, SetsPunctuationAndIdeographsApart) {
  EXPECT_EQ(words("don't"), (Words{"don", "'", "t"}));
  EXPECT_EQ(words("a中文b"), (Words{"a", "中", "文", "b"}));
  EXPECT_EQ(words("price: 5€!?"), (Words{"price", ":", "5€", "!", "?"}));
  EXPECT_EQ(words("豈"), (Words{"豈"}));  // U+F900 decomposes to U+8C48
}

TEST(Pretokenize, DroppedCodePointsDoNotSplit) {
  EXPECT_EQ(words(std::string_view("a\0b\v\fc\u200b\u00add\ue000\ufffd", 17)), (Words{"abcd"}));
  EXPECT_EQ(words("e\u0301te\u0301"), (Words{"ete"}));
  EXPECT_EQ(words("\u0301\u200b \ufeff"), Words{});
}

TEST(Pretokenize, MalformedBytesAreLeftOut) {
  EXPECT_EQ(words("a\xff\xfe"
                  "b\xe2\x82 c\xed\xa0\x80"),
            (Words{"ab", "c"}));
}

TEST(Pretokenize, CountsCodePointsAfterNormalization) {
  const std::string hundred(100, 'x');
  EXPECT_EQ(words(hundred), (Words{hundred}));
  EXPECT_EQ(words(hundred + "x y"), (Words{"<too long>", "y"}));
  EXPECT_EQ(words(hundred + "\u0301"), (Words{hundred}));
  std::string accented;
  for (int i = 0; i < 100; ++i) accented += "É";
  EXPECT_EQ(words(accented), (Words{std::string(100, 'e')}));
  std::string hangul;  // three jamo each
  for (int i = 0; i < 33; ++i) hangul += "각";
  EXPECT_EQ(words(hangul + "x").front().size(), 33U * 9 + 1);
  EXPECT_EQ(words(hangul + "xy"), (Words{"<too long>"}));
}

TEST(Pretokenize, AWordOfTheLongestCharactersFits) {
  std::string text;
  for (std::size_t i = 0; i < Word::max_code_points; ++i) text += "\U0001f600";
  EXPECT_EQ(words(text), (Words{text}));
}

}  // namespace
}  // namespace embd::wordpiece
