#include "tokenizer/tokenizer_worker.h"

#include <gtest/gtest.h>

namespace embd {
namespace {

/// The rule, case by case, as it was found by trying the real tokenizer.
PairLengths by_the_book(std::int64_t a, std::int64_t b, std::int64_t room) {
  if (a + b <= room) return {a, b};
  if (a <= b && 2 * a <= room) return {a, room - a};
  if (b < a && 2 * b <= room) return {room - b, b};
  const std::int64_t half = room / 2;
  if (a > b) return {room - half, half};
  return {half, room - half};
}

TEST(CutLongestFirst, IsTheRuleOfTheRealTokenizer) {
  for (std::int64_t a = 0; a < 30; ++a) {
    for (std::int64_t b = 0; b < 30; ++b) {
      for (std::int64_t room = 0; room <= 36; ++room) {
        ASSERT_EQ(cut_longest_first({a, b}, room), by_the_book(a, b, room))
            << a << " and " << b << " into " << room;
      }
    }
  }
}

TEST(CutLongestFirst, FillsTheRoomAndAddsNothing) {
  for (std::int64_t a = 0; a < 30; ++a) {
    for (std::int64_t b = 0; b < 30; ++b) {
      for (std::int64_t room = 0; room <= 36; ++room) {
        const PairLengths kept = cut_longest_first({a, b}, room);
        EXPECT_EQ(kept.first + kept.second, std::min(a + b, room));
        EXPECT_TRUE(kept.first <= a && kept.second <= b);
      }
    }
  }
}

TEST(CutLongestFirst, OfEqualTextsTheSecondGetsTheOddToken) {
  EXPECT_EQ(cut_longest_first({9, 9}, 7), (PairLengths{3, 4}));
  EXPECT_EQ(cut_longest_first({10, 9}, 7), (PairLengths{4, 3}));
  EXPECT_EQ(cut_longest_first({9, 10}, 7), (PairLengths{3, 4}));
}

}  // namespace
}  // namespace embd
