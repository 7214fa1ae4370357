#include "tokenizer/wordpiece/special_tokens.h"

#include <gtest/gtest.h>

#include "tests/tokenizer/wordpiece/test_vocabulary.h"

namespace embd::wordpiece {
namespace {

TEST(SpecialTokens, AreFoundLiterallyAnywhere) {
  const SpecialTokenFinder finder(testing::bert_vocabulary());
  const std::string_view text = "[ [sep] a[SEP]b[[MASK]]";
  const auto first = finder.find(text, 0);
  EXPECT_EQ(first.position, 9U);
  EXPECT_EQ(first.size, 5U);
  EXPECT_EQ(first.id, 102);
  const auto second = finder.find(text, first.position + first.size);
  EXPECT_EQ(second.position, 16U);
  EXPECT_EQ(second.id, 103);
  const auto none = finder.find(text, second.position + second.size);
  EXPECT_EQ(none.position, text.size());
  EXPECT_EQ(none.size, 0U);
}

TEST(SpecialTokens, TheLongestOfSeveralAtOnePlaceWins) {
  const std::vector<std::string_view> tokens = {"<p", "<pad>", "<", "x>", "<pad"};
  const auto vocabulary =
      Vocabulary::create(tokens, {.pad = 0, .unk = 1, .cls = 2, .sep = 3, .mask = 4});
  ASSERT_TRUE(vocabulary);
  const SpecialTokenFinder finder(*vocabulary);
  EXPECT_EQ(finder.find("ab<pad>", 0).id, 1);
  EXPECT_EQ(finder.find("ab<pad ", 0).id, 4);
  EXPECT_EQ(finder.find("ab<pa", 0).id, 0);
  EXPECT_EQ(finder.find("abx><", 0).id, 3);
  EXPECT_EQ(finder.find("abx", 0).size, 0U);
}

}  // namespace
}  // namespace embd::wordpiece
