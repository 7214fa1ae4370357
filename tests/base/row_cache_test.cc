#include "base/row_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace embd {
namespace {

RowCache::Key key(std::string_view options, std::string_view text) {
  return RowCache::key(options, as_bytes(text));
}

TEST(RowCache, KeepsARowForTextAndOptions) {
  RowCache cache(1 << 20);
  cache.insert(key("a", "text"), std::vector<float>{1, 2});
  std::vector<float> row(2);
  EXPECT_TRUE(cache.find(key("a", "text"), row));
  EXPECT_EQ(row, (std::vector<float>{1, 2}));
  EXPECT_FALSE(cache.find(key("b", "text"), row));
  EXPECT_FALSE(cache.find(key("a", "texts"), row));
  EXPECT_FALSE(cache.find(key("at", "ext"), row));
  EXPECT_EQ(row, (std::vector<float>{1, 2}));
}

TEST(RowCache, TheLeastRecentlyUsedGoesFirst) {
  RowCache probe(1 << 20);
  probe.insert(key("", "x"), std::vector<float>(8));
  RowCache cache(3 * probe.state().bytes);
  for (const char* text : {"1", "2", "3"}) cache.insert(key("", text), std::vector<float>(8));
  std::vector<float> row(8);
  EXPECT_TRUE(cache.find(key("", "1"), row));
  cache.insert(key("", "4"), std::vector<float>(8));
  EXPECT_TRUE(cache.find(key("", "1"), row));
  EXPECT_FALSE(cache.find(key("", "2"), row));
  EXPECT_EQ(cache.state().entries, 3);
  EXPECT_LE(cache.state().bytes, 3 * probe.state().bytes);
}

TEST(RowCache, KeepsWhatIsAskedForWithinItsSize) {
  constexpr std::size_t max_bytes = 64'000;
  RowCache cache(max_bytes);
  const auto asked_for = key("", "asked for");
  cache.insert(asked_for, std::vector<float>(8, -1.0F));
  std::vector<float> row(8);
  for (int i = 0; i < 10'000; ++i) {
    cache.insert(key("", fmt::to_string(i)), std::vector<float>(8, static_cast<float>(i)));
    ASSERT_LE(cache.state().bytes, max_bytes);
    if (i % 20 != 0) continue;
    ASSERT_TRUE(cache.find(asked_for, row)) << i;
  }
  EXPECT_EQ(row, std::vector<float>(8, -1.0F));
  EXPECT_TRUE(cache.find(key("", "9999"), row));
  EXPECT_EQ(row, std::vector<float>(8, 9999.0F));
  EXPECT_FALSE(cache.find(key("", "0"), row));
  EXPECT_GT(cache.state().entries, 100U);
}

TEST(RowCache, OfNoBytesKeepsNothing) {
  RowCache cache(0);
  cache.insert(key("", "x"), std::vector<float>(8));
  EXPECT_FALSE(cache.enabled());
  EXPECT_EQ(cache.state().entries, 0);
}

TEST(RowCache, WhatIsLargerThanTheCacheIsNotKept) {
  RowCache cache(100);
  cache.insert(key("", "x"), std::vector<float>(8));
  EXPECT_EQ(cache.state().entries, 0);
}

TEST(RowCache, RowsOfAnotherLengthAreNotGiven) {
  RowCache cache(1 << 20);
  cache.insert(key("", "x"), std::vector<float>(8));
  std::vector<float> row(4);
  EXPECT_FALSE(cache.find(key("", "x"), row));
}

}  // namespace
}  // namespace embd
