#include "tokenizer/wordpiece/vocabulary.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/tokenizer/wordpiece/test_vocabulary.h"

namespace embd::wordpiece {
namespace {

using Place = Vocabulary::Place;

constexpr SpecialTokenIds small_special{.pad = 0, .unk = 1, .cls = 2, .sep = 3, .mask = 4};
const std::vector<std::string_view> small_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
                                                    "a",     "ab",    "abcd",  "##b",   "##bcd"};

TEST(Vocabulary, EveryTokenFindsItself) {
  const Vocabulary vocabulary = testing::bert_vocabulary();
  ASSERT_EQ(vocabulary.size(), 30'522U);
  for (std::size_t id = 0; id < vocabulary.size(); ++id) {
    std::string_view text = vocabulary.token(static_cast<std::int32_t>(id));
    const Place place = text.starts_with("##") ? Place::continues_word : Place::begins_word;
    if (place == Place::continues_word) text.remove_prefix(2);
    if (text.empty()) continue;
    const Vocabulary::Match match = vocabulary.longest_match(text, place);
    EXPECT_EQ(match.size, text.size());
    EXPECT_EQ(match.id, static_cast<std::int32_t>(id));
  }
}

TEST(Vocabulary, AgreesWithASetOnEveryPrefix) {
  const Vocabulary vocabulary = testing::bert_vocabulary();
  const std::set<std::string_view> tokens(testing::bert_tokens().begin(),
                                          testing::bert_tokens().end());
  for (const std::string_view token : testing::bert_tokens()) {
    if (token.starts_with("##")) continue;
    std::size_t longest = 0;
    for (std::size_t size = 1; size <= token.size(); ++size) {
      if (tokens.contains(token.substr(0, size))) longest = size;
    }
    EXPECT_EQ(vocabulary.longest_match(token, Place::begins_word).size, longest);
  }
}

TEST(Vocabulary, TakesTheLongestOfTheRightPlace) {
  const Vocabulary vocabulary = Vocabulary::create(small_tokens, small_special).value();
  EXPECT_EQ(vocabulary.longest_match("abcde", Place::begins_word).id, 7);
  EXPECT_EQ(vocabulary.longest_match("abce", Place::begins_word).id, 6);
  EXPECT_EQ(vocabulary.longest_match("bcd", Place::continues_word).id, 9);
  EXPECT_EQ(vocabulary.longest_match("bc", Place::continues_word).id, 8);
  EXPECT_EQ(vocabulary.longest_match("b", Place::begins_word).size, 0U);
  EXPECT_EQ(vocabulary.longest_match("a", Place::continues_word).size, 0U);
  EXPECT_EQ(vocabulary.longest_match("", Place::begins_word).size, 0U);
}

TEST(Vocabulary, RefusesSpecialIdsOutsideIt) {
  SpecialTokenIds special = small_special;
  special.mask = 10;
  EXPECT_EQ(Vocabulary::create(small_tokens, special).error().code(), ErrorCode::special_token_id);
  special.mask = -1;
  EXPECT_EQ(Vocabulary::create(small_tokens, special).error().code(), ErrorCode::special_token_id);
  EXPECT_EQ(Vocabulary::create({}, small_special).error().code(), ErrorCode::special_token_id);
}

TEST(Vocabulary, RefusesAnEmptySpecialToken) {
  auto tokens = small_tokens;
  tokens[4] = "";
  EXPECT_EQ(Vocabulary::create(tokens, small_special).error().code(), ErrorCode::special_token_id);
}

TEST(Vocabulary, RefusesATokenThatIsThereTwice) {
  auto tokens = small_tokens;
  tokens.push_back("##bcd");
  EXPECT_EQ(Vocabulary::create(tokens, small_special).error().code(), ErrorCode::duplicate_token);
}

TEST(Vocabulary, AnUnknownIdHasNoToken) {
  const Vocabulary vocabulary = Vocabulary::create(small_tokens, small_special).value();
  EXPECT_EQ(vocabulary.token(7), "abcd");
  EXPECT_EQ(vocabulary.token(10), "");
  EXPECT_EQ(vocabulary.token(-1), "");
}

}  // namespace
}  // namespace embd::wordpiece
