#include "tokenizer/wordpiece/special_tokens.h"

#include <gtest/gtest.h>

#include "tests/tokenizer/wordpiece/test_vocabulary.h"

namespace embd::wordpiece {
namespace {

TEST(SpecialTokens, AreFoundLiterallyAnywhere) {
  const SpecialTokenFinder finder(testing::bert_vocabulary(), {});
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
  const SpecialTokenFinder finder(*vocabulary, {});
  EXPECT_EQ(finder.find("ab<pad>", 0).id, 1);
  EXPECT_EQ(finder.find("ab<pad ", 0).id, 4);
  EXPECT_EQ(finder.find("ab<pa", 0).id, 0);
  EXPECT_EQ(finder.find("abx><", 0).id, 3);
  EXPECT_EQ(finder.find("abx", 0).size, 0U);
}

const std::vector<std::string_view> tokens_with_added = {"[P]", "[U]", "[C]",  "[S]",      "[M]",
                                                         "<X>", "<x>", "<xy>", "<\u00E9>", ""};
constexpr SpecialTokenIds first_five = {.pad = 0, .unk = 1, .cls = 2, .sep = 3, .mask = 4};

TEST(AddedTokens, AreFoundLiterallyUnlessTheyAreNormalized) {
  const auto vocabulary = Vocabulary::create(tokens_with_added, first_five).value();
  const AddedToken added[] = {{.id = 5}, {.id = 6, .normalized = true}};
  EXPECT_EQ(SpecialTokenFinder(vocabulary, added).find("a<X><x>", 0).id, 5);
  EXPECT_EQ(SpecialTokenFinder(vocabulary, added).find("<x>", 0).size, 0U);
}

TEST(AddedTokens, TheLongestOfSeveralNormalizedOnesWins) {
  const auto vocabulary = Vocabulary::create(tokens_with_added, first_five).value();
  const AddedToken added[] = {{.id = 6, .normalized = true}, {.id = 7, .normalized = true}};
  for (const bool lower_case : {true, false}) {
    const Normalizer normalizer(lower_case);
    const NormalizedTokenFinder finder(vocabulary, normalizer, added);
    EXPECT_EQ(finder.find("a<xy>", 0).id, 7);
    EXPECT_EQ(finder.find("a<xy>", 2).size, 0U);
    EXPECT_EQ(finder.find("a<x><xy>", 0).id, 6);
    EXPECT_EQ(finder.find("<X>", 0).size, lower_case ? 3U : 0U);
    EXPECT_EQ(finder.find("\xFF<x>", 0).position, 1U);
    EXPECT_EQ(finder.find("<x\xFF>", 0).size, 4U);  // The malformed byte vanishes.
  }
}

TEST(AddedTokens, MustBeInTheVocabularyAndPlain) {
  const auto vocabulary = Vocabulary::create(tokens_with_added, first_five).value();
  for (const AddedToken& good :
       {AddedToken{.id = 5}, AddedToken{.id = 8}, AddedToken{.id = 7, .normalized = true}})
    EXPECT_TRUE(check_added_tokens(vocabulary, std::span(&good, 1))) << good.id;
  for (const AddedToken& bad : {AddedToken{.id = 9}, AddedToken{.id = 10}, AddedToken{.id = -1},
                                AddedToken{.id = 8, .normalized = true}}) {
    EXPECT_EQ(check_added_tokens(vocabulary, std::span(&bad, 1)).error().code(),
              ErrorCode::special_token_id)
        << bad.id;
  }
}

}  // namespace
}  // namespace embd::wordpiece
