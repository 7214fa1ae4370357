#include "tokenizer/wordpiece/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tokenizer/wordpiece/test_vocabulary.h"

namespace embd::wordpiece {
namespace {

std::string decoded(const std::vector<std::string_view>& tokens, bool skip_special = true) {
  static const Vocabulary vocabulary = testing::bert_vocabulary();
  std::vector<std::int32_t> ids;
  for (const std::string_view token : tokens) {
    const auto found = std::ranges::find(vocabulary.tokens(), token);
    ids.push_back(static_cast<std::int32_t>(found - vocabulary.tokens().begin()));
  }
  return decode(vocabulary, ids, skip_special);
}

TEST(Decode, PiecesAreJoinedAndWordsApart) {
  EXPECT_EQ(decoded({"[CLS]", "uber", "##ka", "##se", ".", "[SEP]"}), "uberkase.");
  EXPECT_EQ(decoded({"##ka", "se"}), "##ka se");
  EXPECT_EQ(decoded({}), "");
}

TEST(Decode, SpecialTokensAreLeftOutIfAsked) {
  const std::vector<std::string_view> tokens = {"[CLS]", "a", "[MASK]", "b", "[SEP]", "[PAD]"};
  EXPECT_EQ(decoded(tokens), "a b");
  EXPECT_EQ(decoded(tokens, false), "[CLS] a [MASK] b [SEP] [PAD]");
}

TEST(Decode, NoSpaceStandsBeforePunctuation) {
  EXPECT_EQ(decoded({"do", "n", "'", "t", ",", "he", "'", "s", "!"}), "don't, he's!");
}

}  // namespace
}  // namespace embd::wordpiece
