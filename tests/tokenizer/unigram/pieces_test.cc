#include "tokenizer/unigram/pieces.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/tokenizer/unigram/small_pieces.h"

namespace embd::unigram {
namespace {

using testing::SmallPieces;

Error error_of(const PieceTables& tables, const PieceOptions& options = {}) {
  const auto pieces = Pieces::create(tables, options);
  EXPECT_FALSE(pieces);
  return pieces ? Error(ErrorCode::cancelled, "none") : pieces.error();
}

TEST(Pieces, FindsWhatItHas) {
  const SmallPieces small({{"<unk>", 0.F}, {"a", -1.5F}, {"ab", -2.F}, {"a", -3.F}});
  const Pieces pieces = Pieces::create(small.tables(), {.unk = 0}).value();
  EXPECT_EQ(pieces.find("a"), 3);  // the last of equal ones
  EXPECT_EQ(pieces.find("ab"), 2);
  EXPECT_EQ(pieces.find("b"), std::nullopt);
  EXPECT_EQ(pieces.unknown_score(), -13.0);
  EXPECT_EQ(pieces.byte_piece('a'), std::nullopt);
}

TEST(Pieces, HasBytesOnlyIfTheyFallBack) {
  const SmallPieces small({{"<0x41>", 0.F}, {"<0xff>", 0.F}, {"<0xFE>", 0.F}});
  const Pieces without = Pieces::create(small.tables(), {}).value();
  EXPECT_EQ(without.byte_piece('A'), std::nullopt);
  const Pieces with = Pieces::create(small.tables(), {.byte_fallback = true}).value();
  EXPECT_EQ(with.byte_piece('A'), 0);
  EXPECT_EQ(with.byte_piece('\xff'), std::nullopt);
  EXPECT_EQ(with.byte_piece('\xfe'), 2);
}

TEST(Pieces, RefusesTablesOfDifferentLengths) {
  const SmallPieces small({{"a", 0.F}, {"b", 0.F}});
  PieceTables tables = small.tables();
  const float one_score = 0;
  tables.scores = std::span(&one_score, 1);
  EXPECT_EQ(error_of(tables).code(), ErrorCode::bad_count);
  EXPECT_EQ(error_of(tables).what(),
            "there are 1 scores for 2 tokens, expected one score for each token");
  tables = small.tables();
  tables.trie = tables.trie.first(tables.trie.size() - 1);
  EXPECT_EQ(error_of(tables).code(), ErrorCode::bad_count);
}

TEST(Pieces, RefusesAnUnknownPieceThatIsNone) {
  const SmallPieces small({{"a", 0.F}});
  EXPECT_EQ(error_of(small.tables(), {.unk = 1}).code(), ErrorCode::special_token_id);
  EXPECT_EQ(error_of(small.tables(), {.unk = -1}).code(), ErrorCode::special_token_id);
}

TEST(Pieces, RefusesScoresThatAreNoNumbers) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const SmallPieces small({{"a", 0.F}, {"b", bad}});
    EXPECT_EQ(error_of(small.tables()).code(), ErrorCode::bad_value);
    EXPECT_NE(error_of(small.tables()).what().find("the score of token 1 is"), std::string::npos);
  }
}

TEST(Pieces, ScoresMayBeFloat64) {
  const SmallPieces small({{"<unk>", 0.F}, {"a", 0.F}});
  PieceTables tables = small.tables();
  const std::vector<double> scores = {0, -0.1};
  tables.scores = scores;
  EXPECT_EQ(Pieces::create(tables, {.unk = 0})->unknown_score(), -0.1 - 10);
  const std::vector<double> bad = {0, std::numeric_limits<double>::infinity()};
  tables.scores = bad;
  EXPECT_EQ(error_of(tables).code(), ErrorCode::bad_value);
}

TEST(Pieces, RefusesVeryLongOnes) {
  const SmallPieces longest({{std::string(Pieces::max_size, 'x'), 0.F}});
  EXPECT_TRUE(Pieces::create(longest.tables(), {}));
  const SmallPieces longer({{"a", 0.F}, {std::string(Pieces::max_size + 1, 'x'), 0.F}});
  EXPECT_EQ(error_of(longer.tables()).code(), ErrorCode::bad_value);
  EXPECT_EQ(error_of(longer.tables()).what(), "token 1 has 256 bytes, expected at most 255");
}

}  // namespace
}  // namespace embd::unigram
