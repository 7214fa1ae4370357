#include "tokenizer/bpe/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tokenizer/bpe/byte_letters.h"

namespace embd::bpe {
namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text, WordPattern pattern = WordPattern::gpt2) {
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(pattern, text, at);
    if (end <= at || end > text.size()) return {"no progress"};
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

TEST(Split, LettersNumbersAndOthersAreWords) {
  EXPECT_EQ(split("Hello world"), (Words{"Hello", " world"}));
  EXPECT_EQ(split("a1,b2;;"), (Words{"a", "1", ",", "b", "2", ";;"}));
  EXPECT_EQ(split(" 12 !?"), (Words{" 12", " !?"}));
  EXPECT_EQ(split("\u00e9t\u00e9\u0301\u0663\u00bd"),
            (Words{"\u00e9t\u00e9", "\u0301", "\u0663\u00bd"}));
  EXPECT_EQ(split("\u4e2d\u6587\U00010400"), (Words{"\u4e2d\u6587\U00010400"}));
  EXPECT_EQ(split(std::string_view("a\0b", 3)), (Words{"a", std::string(1, '\0'), "b"}));
}

TEST(Split, ShortFormsAreWordsAtTheirBeginning) {
  EXPECT_EQ(split("it's he'll I'm"), (Words{"it", "'s", " he", "'ll", " I", "'m"}));
  EXPECT_EQ(split("'re've'd'tx"), (Words{"'re", "'ve", "'d", "'t", "x"}));
  EXPECT_EQ(split("IT'S 'r 'l"), (Words{"IT", "'", "S", " '", "r", " '", "l"}));
  EXPECT_EQ(split("!'s"), (Words{"!'", "s"}));  // The apostrophe belongs to a word already.
  EXPECT_EQ(split(" 's"), (Words{" '", "s"}));
  EXPECT_EQ(split("'"), (Words{"'"}));
}

TEST(Split, WhiteSpaceLeavesItsLastCharacterToTheNextWord) {
  EXPECT_EQ(split("a  b"), (Words{"a", " ", " b"}));
  EXPECT_EQ(split("a\n\n b"), (Words{"a", "\n\n", " b"}));
  EXPECT_EQ(split("a \u00a0b"), (Words{"a", " ", "\u00a0", "b"}));
  EXPECT_EQ(split("a\nb"), (Words{"a", "\n", "b"}));
  EXPECT_EQ(split("a \u3000 "), (Words{"a", " \u3000 "}));
  EXPECT_EQ(split(" "), (Words{" "}));
  EXPECT_EQ(split(" \n"), (Words{" \n"}));
  EXPECT_EQ(split("\x1c\x85"), (Words{"\x1c\x85"}));  // neither is white space
}

/// The pattern of Qwen2 divides some texts in another way. `tokenizers` gives the same words.
TEST(Split, Qwen2HasAPatternOfItsOwn) {
  const auto words = [](std::string_view text) { return split(text, WordPattern::qwen2); };
  EXPECT_EQ(words("a 12\u0663"), (Words{"a", " ", "1", "2", "\u0663"}));
  EXPECT_EQ(words("(word) \tx\u00a0y"), (Words{"(word", ")", " ", "\tx", "\u00a0y"}));
  EXPECT_EQ(words("!!a _b \u0301c"), (Words{"!!", "a", " _", "b", " \u0301", "c"}));
  EXPECT_EQ(words("IT'S I'LL '\u017fa 'Re"),
            (Words{"IT", "'S", " I", "'LL", " '", "\u017fa", " '", "Re"}));
  EXPECT_EQ(words("'\u017fa"), (Words{"'\u017f", "a"}));
  EXPECT_EQ(words("x!\r\n\nb \n  \n c"), (Words{"x", "!\r\n\n", "b", " \n  \n", " c"}));
  EXPECT_EQ(words("\na \n"), (Words{"\n", "a", " \n"}));
  EXPECT_EQ(words("a  b "), (Words{"a", " ", " b", " "}));
  EXPECT_EQ(words(" !x 'll"), (Words{" !", "x", " '", "ll"}));
  EXPECT_EQ(words("'"), (Words{"'"}));
}

TEST(ByteLetters, EveryByteHasALetterOfItsOwn) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string letters = ByteLetters::spell(all);
  std::string bytes = "x";
  EXPECT_TRUE(ByteLetters::read(letters, bytes));
  EXPECT_EQ(bytes, "x" + all);
  EXPECT_EQ(ByteLetters::letter(' '), "\u0120");
  EXPECT_EQ(ByteLetters::letter('\n'), "\u010a");
  EXPECT_EQ(ByteLetters::letter('!'), "!");
  EXPECT_EQ(ByteLetters::letter('\xff'), "\u00ff");
  EXPECT_EQ(ByteLetters::letter('\xad'), "\u0143");
  for (const char* other : {"a b", "\n", "\u0144", "\u00ad", "a\u4e2d", "\xc4", "\u00a0"}) {
    EXPECT_FALSE(ByteLetters::read(other, bytes)) << other;
    EXPECT_EQ(bytes, "x" + all);
  }
}

}  // namespace
}  // namespace embd::bpe
