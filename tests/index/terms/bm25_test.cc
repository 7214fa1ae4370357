#include "index/terms/term_index_impl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace embd {
namespace {

TEST(Bm25, ComputesTheFormula) {
  const std::vector<std::uint32_t> lengths = {3, 5, 4, 0};
  const Bm25 bm25(1.2, 0.75, lengths);
  EXPECT_DOUBLE_EQ(bm25.average_length(), 3);
  EXPECT_NEAR(bm25.idf(1), std::log(1 + 3.5 / 1.5), 1e-15);
  const double of_two = 2 / (2 + 1.2 * (0.25 + 0.75 * 5 / 3));
  EXPECT_FLOAT_EQ(bm25.score(1.5, 2, 5), static_cast<float>(1.5 * of_two));
}

TEST(Bm25, HasNoAverageLengthWithoutTerms) {
  EXPECT_EQ(Bm25(1.2, 0.75, {}).average_length(), 0);
  const std::vector<std::uint32_t> lengths = {0, 0};
  EXPECT_EQ(Bm25(1.2, 0.75, lengths).average_length(), 0);
}

}  // namespace
}  // namespace embd
