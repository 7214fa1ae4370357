#include "engine/row_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace embd {
namespace {

using Ids = std::vector<std::int32_t>;

/// A row that only these ids have.
std::vector<float> row_of(const Ids& ids) {
  std::vector<float> row(8, static_cast<float>(ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) row[i % 8] += static_cast<float>(ids[i]);
  row[0] = static_cast<float>(ids.front());
  return row;
}

TEST(RowTable, FindsExactlyTheIdsThatWereAdded) {
  RowTable table(1 << 20);
  std::vector<float> row(8, -1.0F);
  EXPECT_FALSE(table.find(Ids{1, 2, 3}, row));
  EXPECT_EQ(row, std::vector<float>(8, -1.0F));
  for (const Ids& ids : {Ids{1, 2, 3}, {1, 2}, {3, 2, 1}, {0}, {0, 0}}) table.add(ids, row_of(ids));
  for (const Ids& ids : {Ids{1, 2, 3}, {1, 2}, {3, 2, 1}, {0}, {0, 0}}) {
    ASSERT_TRUE(table.find(ids, row));
    EXPECT_EQ(row, row_of(ids));
  }
  for (const Ids& ids : {Ids{1}, {1, 2, 3, 4}, {2, 3}, {0, 0, 0}, {-1}}) {
    EXPECT_FALSE(table.find(ids, row));
  }
}

TEST(RowTable, KeepsWhatIsAskedForWithinItsSize) {
  constexpr std::size_t max_bytes = 64'000;
  RowTable table(max_bytes);
  const Ids asked_for = {-5, -6};
  table.add(asked_for, row_of(asked_for));
  std::vector<float> row(8);
  for (std::int32_t i = 0; i < 10'000; ++i) {
    const Ids ids = {i, i + 1};
    table.add(ids, row_of(ids));
    if (i % 20 != 0) continue;
    ASSERT_TRUE(table.find(asked_for, row)) << i;
  }
  EXPECT_EQ(row, row_of(asked_for));
  EXPECT_TRUE(table.find(Ids{9'999, 10'000}, row));
  EXPECT_FALSE(table.find(Ids{0, 1}, row));
  std::size_t kept = 0;
  for (std::int32_t i = 0; i < 10'000; ++i) kept += table.find(Ids{i, i + 1}, row) ? 1 : 0;
  EXPECT_GT(kept, 50U);
  EXPECT_LT(kept * 8 * sizeof(float), max_bytes);
}

TEST(RowTable, WhatIsLargerThanTheTableIsNotAdded) {
  RowTable table(100);
  const Ids ids = {1};
  table.add(ids, row_of(ids));
  std::vector<float> row(8);
  EXPECT_FALSE(table.find(ids, row));
}

}  // namespace
}  // namespace embd
