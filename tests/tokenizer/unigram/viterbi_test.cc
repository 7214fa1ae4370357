#include "tokenizer/unigram/viterbi.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/tokenizer/unigram/small_pieces.h"

namespace embd::unigram {
namespace {

using Ids = std::vector<std::int32_t>;
using testing::SmallPieces;

Ids cut(const Pieces& pieces, std::string_view word) {
  Viterbi viterbi(pieces);
  EXPECT_TRUE(viterbi.cut(word));
  Ids ids;
  std::size_t size = 0;
  for (Viterbi::Piece piece; viterbi.next(piece); size += piece.size) ids.push_back(piece.id);
  EXPECT_EQ(size, word.size());
  Viterbi::Piece piece;
  EXPECT_FALSE(viterbi.next(piece));
  return ids;
}

TEST(Viterbi, FindsTheBestSum) {
  const SmallPieces small({{"<unk>", 0.F},
                           {"a", 0.F},
                           {"b", 0.F},
                           {"c", 0.F},
                           {"d", 0.F},
                           {"cd", 1.F},
                           {"ab", 2.F},
                           {"abc", 5.F},
                           {"abcd", 10.F}});
  const Pieces pieces = Pieces::create(small.tables(), {.unk = 0}).value();
  EXPECT_EQ(cut(pieces, "abcdacdxx"), (Ids{8, 1, 5, 0}));
  EXPECT_EQ(cut(pieces, "abc"), (Ids{7}));
  EXPECT_EQ(cut(pieces, "xaby"), (Ids{0, 6, 0}));
  EXPECT_EQ(cut(pieces, ""), (Ids{}));
}

TEST(Viterbi, LetsTiesGoToTheEarliestStart) {
  const SmallPieces small({{"<unk>", 0.F}, {"a", -1.F}, {"b", -1.F}, {"ab", -2.F}, {"ba", -2.F}});
  const Pieces pieces = Pieces::create(small.tables(), {.unk = 0}).value();
  EXPECT_EQ(cut(pieces, "ab"), (Ids{3}));
  EXPECT_EQ(cut(pieces, "aba"), (Ids{1, 4}));
  EXPECT_EQ(cut(pieces, "abab"), (Ids{3, 3}));
}

/// In float, 2^24 + 1 is 2^24.
TEST(Viterbi, AddsDoubles) {
  const SmallPieces small({{"<unk>", 0.F}, {"a", 16777216.F}, {"b", 1.F}, {"ab", 16777216.F}});
  const Pieces pieces = Pieces::create(small.tables(), {.unk = 0}).value();
  EXPECT_EQ(cut(pieces, "ab"), (Ids{1, 2}));
}

/// In double, 0.1 + 0.2 is above 0.3.
TEST(Viterbi, AddsScoresThatAreDoubles) {
  const SmallPieces small({{"<unk>", 0.F}, {"a", 0.F}, {"b", 0.F}, {"ab", 0.F}});
  const std::vector<double> scores = {0, 0.1, 0.2, 0.3};
  PieceTables tables = small.tables();
  tables.scores = scores;
  EXPECT_EQ(cut(Pieces::create(tables, {.unk = 0}).value(), "ab"), (Ids{1, 2}));
  const std::vector<double> longer = {0, 0.1, 0.2, 0.1 + 0.2};
  tables.scores = longer;
  EXPECT_EQ(cut(Pieces::create(tables, {.unk = 0}).value(), "ab"), (Ids{3}));
}

TEST(Viterbi, FusesNeighbouringUnknownCharacters) {
  const SmallPieces small({{"<unk>", 0.F}, {"a", -1.F}});
  const Pieces pieces = Pieces::create(small.tables(), {.unk = 0}).value();
  EXPECT_EQ(cut(pieces, "\u4e00\u4e01\u4e02"), (Ids{0}));
  EXPECT_EQ(cut(pieces, "x\u4e00a\U0001f600y"), (Ids{0, 1, 0}));
  EXPECT_EQ(cut(pieces, "<unk>x<unk>"), (Ids{0}));
  EXPECT_EQ(cut(pieces, std::string(100000, 'x')), (Ids{0}));
}

TEST(Viterbi, UsesThePieceThatUnknownCharactersHappenToSpell) {
  // Two unknown characters score 2 (31 - 10), more than the piece.
  const SmallPieces small({{"<unk>", 40.F}, {"xy", 31.F}});
  const Pieces pieces = Pieces::create(small.tables(), {.unk = 0}).value();
  EXPECT_EQ(cut(pieces, "xy"), (Ids{1}));
  EXPECT_EQ(cut(pieces, "xyx"), (Ids{0}));
}

TEST(Viterbi, FallsBackToBytesWhereAllAreThere) {
  const SmallPieces small(
      {{"<unk>", 0.F}, {"a", -1.F}, {"<0xC3>", -5.F}, {"<0xA9>", -5.F}, {"<0x78>", -5.F}});
  const Pieces pieces = Pieces::create(small.tables(), {.unk = 0, .byte_fallback = true}).value();
  EXPECT_EQ(cut(pieces, "a\u00e9xa"), (Ids{1, 2, 3, 4, 1}));
  EXPECT_EQ(cut(pieces, "a\u00e9\u00e8a\u00e9"), (Ids{1, 0, 1, 2, 3}));
  EXPECT_EQ(cut(pieces, "<unk>"), (Ids{0}));
}

TEST(Viterbi, FailsAtAnUnknownCharacterWithoutAPieceForIt) {
  const SmallPieces small({{"ab", -1.F}, {"c", -1.F}, {"b", -1.F}});
  const Pieces pieces = Pieces::create(small.tables(), {}).value();
  EXPECT_EQ(cut(pieces, "ccb"), (Ids{1, 1, 2}));
  Viterbi viterbi(pieces);
  // As with tokenizers: "ab" would do, but "a" is tried.
  for (const char* word : {"cab", "\u00e9"}) {
    const auto failed = viterbi.cut(word);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code(), ErrorCode::unsupported);
  }
  EXPECT_NE(viterbi.cut("\u00e9").error().what().find("\"\u00e9\""), std::string::npos);
  // The results of the text before do not show.
  ASSERT_TRUE(viterbi.cut("cc"));
  Viterbi::Piece piece;
  EXPECT_TRUE(viterbi.next(piece) && viterbi.next(piece) && !viterbi.next(piece));
}

/// Each position's score has a place that one 256 bytes on takes over.
TEST(Viterbi, TakesPiecesOfEveryLength) {
  std::vector<std::pair<std::string, float>> all = {{"<unk>", 0.F}};
  for (std::size_t size = 1; size <= Pieces::max_size; ++size) {
    all.emplace_back(std::string(size, 'a'), -1.F - static_cast<float>(size) / 64.F);
  }
  const SmallPieces small(all);
  const Pieces pieces = Pieces::create(small.tables(), {.unk = 0}).value();
  EXPECT_EQ(cut(pieces, std::string(255 * 40, 'a')), Ids(40, 255));
  const Ids ids = cut(pieces, std::string(255 * 40 + 7, 'a'));
  EXPECT_EQ(ids.size(), 41U);
}

/// A trie that does not belong to the pieces gives some ids, within bounds.
TEST(Viterbi, StaysWithinTheTablesWhateverTheTrie) {
  const SmallPieces small({{"<unk>", 0.F}, {"a", -1.F}, {"b", -2.F}});
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint32_t> units(256);
    for (std::uint32_t& unit : units) {
      unit = static_cast<std::uint32_t>(random());
      if (random() % 3 != 0) unit = (unit & 3U) | 0x100U | (unit >> 20 & 0xffU) << 10;
    }
    PieceTables tables = small.tables();
    tables.trie = std::as_bytes(std::span(units));
    const Pieces pieces = Pieces::create(tables, {.unk = 0, .byte_fallback = true}).value();
    std::string word(random() % 600, 'a');
    for (char& c : word) c = static_cast<char>(1 + random() % 3);
    for (const std::int32_t id : cut(pieces, word)) EXPECT_LT(static_cast<std::uint32_t>(id), 3U);
  }
}

}  // namespace
}  // namespace embd::unigram
