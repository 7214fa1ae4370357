#include "index/positions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "rows.h"

namespace embd {
namespace {

using Slots = std::vector<std::uint32_t>;

Slots leaders(Metric metric, const std::vector<float>& values, std::size_t dim) {
  const Distance distance = Distance::create(metric, ElementType::f32, dim).value();
  const TestRows rows = encode_rows(ElementType::f32, values, dim);
  Slots slots(values.size() / dim);
  for (std::uint32_t i = 0; i < slots.size(); ++i) slots[i] = i;
  return Positions(distance, rows.view()).leaders(slots, 2).value();
}

TEST(Positions, EqualRowsHaveOneLeader) {
  EXPECT_EQ(leaders(Metric::l2sq, {1, 2, 3, 4, 1, 2, 3, 5, 1, 2}, 2), (Slots{0, 1, 0, 3, 0}));
}

TEST(Positions, UnderTheCosineRowsOfOneDirectionHaveOneLeader) {
  EXPECT_EQ(leaders(Metric::cos, {1, 2, 3, 6, -1, -2, 0.1F, 0.2F, 0, 0, 0, -0.0F}, 2),
            (Slots{0, 0, 2, 0, 4, 4}));
  EXPECT_EQ(leaders(Metric::l2sq, {1, 2, 3, 6}, 2), (Slots{0, 1}));
}

TEST(Positions, AShuffledOrderHoldsEachSlotOnceAndIsTheSameEverywhere) {
  const Slots order = shuffled(Slots{0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_NE(order, (Slots{0, 1, 2, 3, 4, 5, 6, 7}));
  Slots sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, (Slots{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace embd
