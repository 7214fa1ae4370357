#include "tokenizer/tokenizer_worker.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/gzip.h"
#include "tests/support/split.h"
#include "tests/tokenizer/letter_tokenizer.h"
#include "tokenizer/wordpiece/wordpiece_tokenizer.h"

namespace embd {
namespace {

using Ids = std::vector<std::int32_t>;
using Types = std::vector<std::uint8_t>;
using Ranges = std::vector<ByteRange>;

/// The vocabulary of tests/data/rerank.
const WordPieceTokenizer& pair_tokenizer() {
  static const std::string lines = testing::read_gzip(EMBD_TEST_DATA "/rerank/vocab.txt.gz");
  static const WordPieceTokenizer tokenizer(
      wordpiece::Vocabulary::create(testing::split(lines, '\n'),
                                    {.pad = 0, .unk = 2, .cls = 3, .sep = 4, .mask = 5})
          .value());
  return tokenizer;
}

void check_pairs(const std::string& name, const TextOptions& options) {
  const std::string lines = testing::read_gzip(EMBD_TEST_DATA "/rerank/" + name);
  TokenizerWorker worker(pair_tokenizer());
  std::size_t checked = 0;
  for (const std::string_view line : testing::split(lines, '\n')) {
    const auto row = nlohmann::json::parse(line);
    const auto query = row["query"].get<std::string>();
    const auto text = row["text"].get<std::string>();
    Ids ids;
    Types types;
    const auto encoding = worker.encode(TextPair{query, text}, options, {&ids, &types});
    ASSERT_TRUE(encoding) << encoding.error().message();
    EXPECT_EQ(ids, row["ids"].get<Ids>()) << line;
    EXPECT_EQ(types, row["types"].get<Types>()) << line;
    EXPECT_EQ(encoding->truncated, encoding->tokens > ids.size());
    ++checked;
  }
  EXPECT_EQ(checked, 171U);
}

TEST(TokenizerWorker, PairsHaveTheIdsAndTypesOfTheRealOne) {
  check_pairs("bert_identity.jsonl.gz", {.max_length = 48});
}

TEST(TokenizerWorker, APromptStandsBeforeTheFirstText) {
  check_pairs("bert_saved_by_6.jsonl.gz", {.max_length = 40, .prompt = "query: "});
}

TEST(TokenizerWorker, ATextHasTheTemplateAroundIt) {
  const test::LetterTokenizer letters;
  TokenizerWorker worker(letters);
  const Tokens tokens = worker.tokenize("a b", {.prompt = "p "}).value();
  EXPECT_EQ(tokens.ids, (Ids{1000, 'p', 'a', 'b', 1001}));
  EXPECT_EQ(tokens.types, Types(5));
  EXPECT_EQ(tokens.ranges, (Ranges{{0, 0}, {0, 0}, {0, 1}, {2, 3}, {0, 0}}));
  EXPECT_EQ(tokens.first, (TokenRange{1, 4}));
  EXPECT_EQ(tokens.second, TokenRange());
  EXPECT_EQ(tokens.whole_length, 5U);
  EXPECT_TRUE(tokens.is_special(0) && tokens.is_special(4));
  EXPECT_FALSE(tokens.is_special(1) || tokens.is_special(3));
}

TEST(TokenizerWorker, AQueryBecomesTokensOnceForItsDocuments) {
  const test::LetterTokenizer letters;
  TokenizerWorker worker(letters);
  std::size_t expected = 0;
  const auto check = [&](const TextPair& pair, const TextOptions& options, std::size_t num_read) {
    const Tokens tokens = worker.tokenize(pair, options).value();
    EXPECT_EQ(letters.num_texts(), expected += num_read);
    const test::LetterTokenizer others;
    const Tokens alone = TokenizerWorker(others).tokenize(pair, options).value();
    EXPECT_EQ(tokens.ids, alone.ids);
    EXPECT_EQ(tokens.ranges, alone.ranges);
    EXPECT_EQ(tokens.truncated, alone.truncated);
  };
  const std::string query = "a query";
  check({query, "one"}, {}, 2);
  check({query, "two and more"}, {}, 1);
  check({std::string(query), ""}, {}, 1);  // equal, not the same
  check({query, "two and more"}, {.max_length = 9}, 2);
  check({query, "one"}, {.max_length = 9}, 1);
  check({query, "one"}, {.max_length = 9, .truncation_side = TruncationSide::left}, 2);
  check({query, "one"}, {.prompt = "p"}, 2);
  check({query, "two"}, {.prompt = "p"}, 1);
  check({"another", "two"}, {.prompt = "p"}, 2);

  // One that failed is not taken for read.
  const std::string_view bad("a\0b", 3);
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(worker.tokenize(TextPair{bad, "x"}, {}));
  expected += 2;
  check({"another", "two"}, {.prompt = "p"}, 2);
  EXPECT_FALSE(worker.tokenize(TextPair{"another", bad}, {.prompt = "p"}));
  expected += 1;
  check({"another", "three"}, {.prompt = "p"}, 1);
}

TEST(TokenizerWorker, APairHasTheTemplateBetween) {
  const test::LetterTokenizer letters;
  TokenizerWorker worker(letters);
  const Tokens tokens = worker.tokenize(TextPair{"ab", " cde"}, {}).value();
  EXPECT_EQ(tokens.ids, (Ids{1000, 'a', 'b', 1001, 1001, 'c', 'd', 'e', 1001}));
  EXPECT_EQ(tokens.types, Types(9));
  EXPECT_EQ(tokens.ranges,
            (Ranges{{0, 0}, {0, 1}, {1, 2}, {0, 0}, {0, 0}, {1, 2}, {2, 3}, {3, 4}, {0, 0}}));
  EXPECT_EQ(tokens.first, (TokenRange{1, 3}));
  EXPECT_EQ(tokens.second, (TokenRange{5, 8}));
  EXPECT_EQ(tokens.whole_length, 9U);
  EXPECT_FALSE(tokens.truncated);
  const Tokens empty = worker.tokenize(TextPair{"", ""}, {}).value();
  EXPECT_EQ(empty.ids, (Ids{1000, 1001, 1001, 1001}));
}

/// Every pair of lengths, cut to every length, on both sides.
TEST(TokenizerWorker, APairIsCutLongestFirst) {
  const std::string letters_of_first = "abcdefghijkl";
  const std::string letters_of_second = "ABCDEFGHIJKL";
  const test::LetterTokenizer letters;
  TokenizerWorker worker(letters);
  for (std::size_t a = 0; a <= 12; ++a) {
    for (std::size_t b = 0; b <= 12; ++b) {
      const std::string first = letters_of_first.substr(0, a);
      const std::string second = letters_of_second.substr(0, b);
      for (std::uint32_t max_length = 4; max_length < 30; ++max_length) {
        const auto kept = cut_longest_first(
            {static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)}, max_length - 4);
        for (const TruncationSide side : {TruncationSide::right, TruncationSide::left}) {
          const Tokens tokens = worker
                                    .tokenize(TextPair{first, second},
                                              {.max_length = max_length, .truncation_side = side})
                                    .value();
          const auto part = [&](const std::string& text, std::int64_t count) {
            const auto size = static_cast<std::size_t>(count);
            return side == TruncationSide::right ? text.substr(0, size)
                                                 : text.substr(text.size() - size);
          };
          Ids expected = {1000};
          for (const char c : part(first, kept.first)) expected.push_back(c);
          expected.insert(expected.end(), {1001, 1001});
          for (const char c : part(second, kept.second)) expected.push_back(c);
          expected.push_back(1001);
          ASSERT_EQ(tokens.ids, expected) << a << " and " << b << " into " << max_length;
          EXPECT_EQ(tokens.truncated, a + b + 4 > max_length);
          EXPECT_EQ(tokens.whole_length, a + b + 4);
          for (std::size_t i = tokens.second.begin; i < tokens.second.end; ++i)
            EXPECT_EQ(second[tokens.ranges[i].begin], static_cast<char>(tokens.ids[i]));
        }
      }
    }
  }
}

TEST(TokenizerWorker, AnEndlessTextOfAPairIsHeldShort) {
  const test::LetterTokenizer letters;
  TokenizerWorker worker(letters);
  const std::string endless(100000, 'x');
  for (const TruncationSide side : {TruncationSide::right, TruncationSide::left}) {
    const Tokens tokens =
        worker.tokenize(TextPair{"query", endless}, {.max_length = 32, .truncation_side = side})
            .value();
    EXPECT_EQ(tokens.ids.size(), 32U);
    EXPECT_EQ(tokens.second.end - tokens.second.begin, 23U);
    EXPECT_EQ(tokens.whole_length, 100009U);
  }
}

TEST(TokenizerWorker, PlainTokensHaveNoSpecialOnes) {
  const test::LetterTokenizer letters;
  TokenizerWorker worker(letters);
  Ids ids = {7};
  Types types = {1};
  const auto encoding = worker.encode_plain("bc", "a ", {&ids, &types});
  EXPECT_EQ(encoding->tokens, 3U);
  EXPECT_EQ(ids, (Ids{7, 'a', 'b', 'c'}));
  EXPECT_EQ(types, (Types{1, 0, 0, 0}));
}

TEST(TokenizerWorker, ALengthWithoutRoomForTheSpecialTokensIsAnError) {
  const test::LetterTokenizer letters;
  TokenizerWorker worker(letters);
  const auto code = [&](const auto& text, std::uint32_t max_length) {
    Ids ids;
    const auto encoding = worker.encode(text, {.max_length = max_length}, {&ids});
    return encoding ? std::string_view("good") : describe(encoding.error().code());
  };
  EXPECT_EQ(code(std::string_view("a"), 1), describe(ErrorCode::invalid_argument));
  EXPECT_EQ(code(std::string_view("a"), 2), "good");
  EXPECT_EQ(code(TextPair{"a", "b"}, 3), describe(ErrorCode::invalid_argument));
  EXPECT_EQ(code(TextPair{"a", "b"}, 4), "good");
}

TEST(TokenizerWorker, WhatFailsAppendsNothing) {
  const test::LetterTokenizer letters;
  TokenizerWorker worker(letters);
  Ids ids = {7};
  Types types = {1};
  Ranges ranges = {{2, 3}};
  const TokenOutput out = {&ids, &types, &ranges};
  const std::string bad("ab\0c", 4);
  EXPECT_EQ(worker.encode(bad, {}, out).error().code(), ErrorCode::unsupported);
  EXPECT_EQ(worker.encode_plain(bad, {}, out).error().code(), ErrorCode::unsupported);
  EXPECT_EQ(worker.encode(TextPair{bad, "a"}, {}, out).error().code(), ErrorCode::unsupported);
  EXPECT_EQ(worker.encode(TextPair{"a", bad}, {}, out).error().code(), ErrorCode::unsupported);
  const auto malformed = worker.encode(TextPair{"a", "b\xff"}, {.strict_utf8 = true}, out);
  EXPECT_EQ(malformed.error().code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(malformed.error().offset(), 1U);
  EXPECT_EQ(ids, Ids{7});
  EXPECT_EQ(types, Types{1});
  EXPECT_EQ(ranges, (Ranges{{2, 3}}));
}

}  // namespace
}  // namespace embd
