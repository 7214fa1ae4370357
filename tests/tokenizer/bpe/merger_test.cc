#include "tokenizer/bpe/merger.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/tokenizer/bpe/slow_bpe.h"
#include "tests/tokenizer/bpe/small_bpe.h"

namespace embd::bpe {
namespace {

using Ids = std::vector<std::int32_t>;

Ids ids_of(Merger& merger, std::string_view word) {
  const auto symbols = merger.merge(word);
  Ids ids;
  std::uint32_t end = 0;
  for (const Symbol& symbol : *symbols) {
    EXPECT_GE(symbol.begin, end);
    EXPECT_GT(symbol.end, symbol.begin);
    EXPECT_LE(symbol.end, word.size());
    end = symbol.end;
    ids.push_back(symbol.id);
  }
  return ids;
}

TEST(Merger, ShortAndLongWordsAreMergedAlike) {
  for (const char* name : {"roberta", "crossed", "probe"}) {
    const testing::BpeJson json(name);
    const auto vocabulary = Vocabulary::create(json.tables()).value();
    std::mt19937 random(1);
    for (const std::optional<std::int32_t> unk : {std::optional<std::int32_t>(), {3}}) {
      const testing::SlowMerges slow(json.tables(), unk);
      Merger merger(vocabulary, unk);
      for (int i = 0; i < 600; ++i) {
        std::string word;
        const std::size_t pieces = 1 + random() % (i % 10 == 0 ? 80 : 12);
        for (std::size_t k = 0; k < pieces; ++k) {
          const std::string_view token = vocabulary.token(
              static_cast<std::int32_t>(4 + random() % (vocabulary.tokens().size() - 4)));
          if (!ByteLetters::read(token, word)) word += token;
        }
        ASSERT_EQ(ids_of(merger, word), slow.merge(word)) << name << " " << word;
      }
    }
  }
}

struct Small {
  std::vector<std::string_view> tokens;
  std::vector<std::uint32_t> merges;

  Result<Vocabulary> vocabulary() const { return Vocabulary::create({tokens, merges}); }
};

TEST(Merger, TheLowestRankComesFirstAndThenTheLeftmost) {
  const Small small = {{"a", "b", "ab", "aa", "aab"}, {0, 1, 0, 0, 0, 2}};
  const auto vocabulary = small.vocabulary().value();
  Merger merger(vocabulary, std::nullopt);
  EXPECT_EQ(ids_of(merger, "aab"), (Ids{4}));
  EXPECT_EQ(ids_of(merger, "aaab"), (Ids{3, 2}));
  EXPECT_EQ(ids_of(merger, "aaa"), (Ids{3, 0}));
  EXPECT_EQ(ids_of(merger, "ba"), (Ids{1, 0}));
  EXPECT_EQ(ids_of(merger, ""), Ids{});
}

TEST(Merger, ByteWithoutTokenDisappearsOrIsUnknown) {
  const Small small = {{"a", "b", "ab", "?"}, {0, 1}};
  const auto vocabulary = small.vocabulary().value();
  Merger disappears(vocabulary, std::nullopt);
  EXPECT_EQ(ids_of(disappears, "axb"), (Ids{2}));
  EXPECT_EQ(ids_of(disappears, "xyz"), Ids{});
  Merger unknown(vocabulary, 3);
  EXPECT_EQ(ids_of(unknown, "axb"), (Ids{0, 3, 1}));
}

TEST(Merger, OfEqualMergesTheLastCounts) {
  const Small small = {{"a", "b", "c", "ab", "bc"}, {0, 1, 1, 2, 0, 1}};
  const auto vocabulary = small.vocabulary().value();
  Merger merger(vocabulary, std::nullopt);
  EXPECT_EQ(ids_of(merger, "abc"), (Ids{0, 4}));
}

TEST(Merger, WhatIsNoVocabularyIsRefused) {
  const auto code = [](const Small& small) {
    const auto made = small.vocabulary();
    return made ? std::optional<ErrorCode>() : made.error().code();
  };
  EXPECT_EQ(code({{"a", "b", "ab"}, {0, 1}}), std::nullopt);
  EXPECT_EQ(code({{}, {}}), std::nullopt);
  EXPECT_EQ(code({{"a", "b", "ab"}, {0}}), ErrorCode::bad_count);
  EXPECT_EQ(code({{"a", "b", "ab"}, {0, 3}}), ErrorCode::bad_value);
  EXPECT_EQ(code({{"a", "b", "ab"}, {0xffffffff, 0}}), ErrorCode::bad_value);
  EXPECT_EQ(code({{"a", "b", "ab"}, {1, 0}}), ErrorCode::bad_value);
  EXPECT_EQ(code({{"a", "b", "a"}, {}}), ErrorCode::duplicate_token);
}

/// The time is n log n: a million letters take a second at most, and quadratic time would take
/// days.
TEST(Merger, AWordOfAMillionLettersIsMerged) {
  Small doubling;
  std::vector<std::string> bytes = {"a"};
  for (std::uint32_t i = 0; i < 12; ++i) {
    bytes.push_back(bytes.back() + bytes.back());
    doubling.merges.insert(doubling.merges.end(), {i, i});
  }
  doubling.tokens.assign(bytes.begin(), bytes.end());
  const auto vocabulary = doubling.vocabulary().value();
  Merger merger(vocabulary, std::nullopt);
  const Ids ids = ids_of(merger, std::string(1'000'000, 'a'));
  EXPECT_EQ(ids.size(), 1'000'000U / 4096 + std::popcount(1'000'000U % 4096));
  merger.shrink();
  EXPECT_EQ(ids_of(merger, "aa"), (Ids{1}));
}

}  // namespace
}  // namespace embd::bpe
