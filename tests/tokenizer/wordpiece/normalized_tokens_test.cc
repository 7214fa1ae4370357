#include "tokenizer/wordpiece/normalized_tokens.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tokenizer/wordpiece/test_vocabulary.h"
#include "tokenizer/tokenizer_worker.h"
#include "tokenizer/wordpiece/wordpiece_tokenizer.h"

namespace embd::wordpiece {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr SpecialTokenIds first_five = {.pad = 0, .unk = 1, .cls = 2, .sep = 3, .mask = 4};
const std::vector<std::string_view> tokens = {
    "[P]",          "[U]", "[C]",  "[S]", "[M]", "<x>", "<xy>",     "<\u00E9>",
    "\u4E2D\u6587", "new", "york", "a",   "##s", "b",   "new york", "word"};

/// A tokenizer with added tokens, whose ids are places in `tokens`.
class AddedTest : public ::testing::Test {
 protected:
  void make(const std::vector<AddedToken>& added, bool lower_case = true) {
    const WordPieceOptions options = {.lower_case = lower_case, .added = added};
    auto vocabulary = Vocabulary::create(tokens, first_five, added).value();
    ASSERT_TRUE(WordPieceTokenizer::check_options(vocabulary, options));
    tokenizer_ = std::make_unique<WordPieceTokenizer>(std::move(vocabulary), options);
    worker_ = std::make_unique<TokenizerWorker>(*tokenizer_);
  }
  Ids ids(std::string_view text) {
    Ids found;
    EXPECT_TRUE(worker_->encode_plain(text, {}, {&found}));
    const auto all = worker_->tokenize(text, {});
    EXPECT_EQ(Ids(all->ids.begin() + 1, all->ids.end() - 1), found);
    return found;
  }
  ByteRange range(std::string_view text, std::size_t token) {
    return worker_->tokenize(text, {})->ranges.at(token + 1);
  }

  std::unique_ptr<WordPieceTokenizer> tokenizer_;
  std::unique_ptr<TokenizerWorker> worker_;
};

TEST_F(AddedTest, TheyAreFoundLiterallyUnlessTheyAreNormalized) {
  make({{.id = 5}, {.id = 6, .normalized = true}});
  EXPECT_EQ(ids("a<x>b"), (Ids{11, 5, 13}));
  EXPECT_EQ(ids("<X>"), (Ids{1, 1, 1}));
  EXPECT_EQ(ids("a<XY><xy>b"), (Ids{11, 6, 6, 13}));
  EXPECT_EQ(ids("a[S]b[M]"), (Ids{11, 3, 13, 4}));
}

TEST_F(AddedTest, NormalizedOnesAreFoundInTheNormalizedText) {
  make({{.id = 5, .normalized = true}, {.id = 6, .normalized = true}});
  EXPECT_EQ(ids("<x><xy>"), (Ids{5, 6}));
  EXPECT_EQ(ids("\xFF<x\xFF>"), (Ids{5}));    // Malformed bytes vanish.
  EXPECT_EQ(ids("\u226Ex>a"), (Ids{5, 11}));  // The sign is "<" with a mark.
  EXPECT_EQ(ids("\u00E1 <\u1E8A> A"), (Ids{11, 5, 11}));
  EXPECT_EQ(range("\u00E1 <\u1E8A> A", 0), (ByteRange{0, 2}));
  EXPECT_EQ(range("\u00E1 <\u1E8A> A", 1), (ByteRange{3, 8}));
  EXPECT_EQ(range("\u00E1 <\u1E8A> A", 2), (ByteRange{9, 10}));
  make({{.id = 5, .normalized = true}}, false);
  EXPECT_EQ(ids("<x>"), (Ids{5}));
  EXPECT_EQ(ids("<X>"), (Ids{1, 1, 1}));
}

TEST_F(AddedTest, TheyMayHaveAnyCharacters) {
  make({{.id = 7, .normalized = true},
        {.id = 8, .normalized = true},
        {.id = 14, .normalized = true}});
  EXPECT_EQ(ids("<E>"), (Ids{7}));  // The accent of the token is stripped, too.
  EXPECT_EQ(ids("a\u4E2D\u6587b"), (Ids{11, 8, 13}));
  EXPECT_EQ(ids("\u4E2D \u6587"), (Ids{1, 1}));
  EXPECT_EQ(ids("New York"), (Ids{14}));
  EXPECT_EQ(ids("new\tyork"), (Ids{14}));
  EXPECT_EQ(ids("new  york"), (Ids{9, 10}));
}

TEST_F(AddedTest, WordsAreNotCutIntoTokensThatAreOnlyAdded) {
  make({{.id = 15, .single_word = true, .only_added = true}});
  EXPECT_EQ(ids("a word"), (Ids{11, 15}));
  EXPECT_EQ(ids("WORD"), (Ids{1}));
  EXPECT_EQ(ids("words"), (Ids{1}));
  make({});
  EXPECT_EQ(ids("WORD words"), (Ids{15, 15, 12}));
}

TEST_F(AddedTest, TheHashIsThatOfTheirRules) {
  make({{.id = 5}});
  const std::string hash = tokenizer_->hash();
  for (const AddedToken& other :
       {AddedToken{.id = 5, .normalized = true}, AddedToken{.id = 5, .lstrip = true},
        AddedToken{.id = 5, .rstrip = true}, AddedToken{.id = 5, .single_word = true},
        AddedToken{.id = 5, .only_added = true}, AddedToken{.id = 6}}) {
    make({other});
    EXPECT_NE(tokenizer_->hash(), hash);
  }
}

TEST(AddedOptions, TokensThatCannotBeFoundAreRefused) {
  const auto code = [](const std::vector<AddedToken>& added) {
    const auto checked =
        WordPieceTokenizer::check_options(testing::bert_vocabulary(), {.added = added});
    return checked ? std::optional<ErrorCode>() : checked.error().code();
  };
  EXPECT_EQ(code({{.id = 1000}}), std::nullopt);
  EXPECT_EQ(code({{.id = -1}}), ErrorCode::special_token_id);
  EXPECT_EQ(code({{.id = 99'999, .normalized = true}}), ErrorCode::special_token_id);
  EXPECT_EQ(code({{.id = 1000}, {.id = 1000}}), ErrorCode::duplicate_token);
}

TEST(Normalizer, AccentsMayBeKeptInLowerCase) {
  const Normalizer keeps(true, false);
  EXPECT_EQ(keeps[U'\u00C9'].text(), "\u00E9");
  EXPECT_EQ(keeps[U'\u0301'].text(), "\u0301");
  EXPECT_EQ(keeps[U'\u0130'].text(), "i\u0307");  // the only code point that becomes two
  const Normalizer strips(false, true);
  EXPECT_EQ(strips[U'\u00C9'].text(), "E");
  EXPECT_EQ(strips[U'\u0301'].text(), "");
  EXPECT_EQ(Normalizer(true)[U'\u0130'].text(), "i");
}

}  // namespace
}  // namespace embd::wordpiece
