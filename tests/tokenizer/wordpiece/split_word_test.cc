#include "tokenizer/wordpiece/vocabulary.h"

#include <gtest/gtest.h>

#include "tests/tokenizer/wordpiece/test_vocabulary.h"

namespace embd::wordpiece {
namespace {

using Ids = std::vector<std::int32_t>;

Ids pieces(std::string_view text) {
  const Normalizer normalizer(true);
  const Vocabulary vocabulary = testing::bert_vocabulary();
  Word word;
  std::size_t position = 0;
  EXPECT_TRUE(next_word(normalizer, text, position, word));
  EXPECT_EQ(position, text.size());
  WordPieces ids;
  return {ids.begin(),
          ids.begin() + static_cast<std::ptrdiff_t>(split_word(vocabulary, word, ids))};
}

TEST(SplitWord, TakesTheLongestFromTheFront) {
  EXPECT_EQ(pieces("hello"), Ids{7592});
  EXPECT_EQ(pieces("embedding"), (Ids{7861, 8270, 4667}));
}

TEST(SplitWord, AWordThatCannotBeCutUpWhollyIsUnknown) {
  EXPECT_EQ(pieces("\U0001f600"), Ids{100});
  EXPECT_EQ(pieces("hello\U0001f600"), Ids{100});
}

TEST(SplitWord, AWordIsTriedUpToAHundredCodePoints) {
  EXPECT_GT(pieces(std::string(100, 'x')).size(), 1U);
  EXPECT_EQ(pieces(std::string(101, 'x')), Ids{100});
}

}  // namespace
}  // namespace embd::wordpiece
