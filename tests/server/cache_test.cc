#include "server/cache.h"

#include <gtest/gtest.h>

namespace embd::server {
namespace {

TEST(Cache, KeepsAVectorForTextAndOptions) {
  Cache cache(1 << 20);
  cache.insert(Cache::key("a", "text"), std::vector<float>{1, 2});
  std::vector<float> row(2);
  EXPECT_TRUE(cache.find(Cache::key("a", "text"), row));
  EXPECT_EQ(row, (std::vector<float>{1, 2}));
  EXPECT_FALSE(cache.find(Cache::key("b", "text"), row));
  EXPECT_FALSE(cache.find(Cache::key("a", "texts"), row));
  EXPECT_FALSE(cache.find(Cache::key("at", "ext"), row));
}

TEST(Cache, TheLeastRecentlyUsedGoesFirst) {
  Cache probe(1 << 20);
  probe.insert(Cache::key("", "x"), std::vector<float>(8));
  Cache cache(3 * probe.state().bytes);
  for (const char* text : {"1", "2", "3"})
    cache.insert(Cache::key("", text), std::vector<float>(8));
  std::vector<float> row(8);
  EXPECT_TRUE(cache.find(Cache::key("", "1"), row));
  cache.insert(Cache::key("", "4"), std::vector<float>(8));
  EXPECT_TRUE(cache.find(Cache::key("", "1"), row));
  EXPECT_FALSE(cache.find(Cache::key("", "2"), row));
  EXPECT_EQ(cache.state().entries, 3);
  EXPECT_LE(cache.state().bytes, 3 * probe.state().bytes);
}

TEST(Cache, OfNoBytesKeepsNothing) {
  Cache cache(0);
  cache.insert(Cache::key("", "x"), std::vector<float>(8));
  EXPECT_FALSE(cache.enabled());
  EXPECT_EQ(cache.state().entries, 0);
}

TEST(Cache, RowsOfAnotherLengthAreNotGiven) {
  Cache cache(1 << 20);
  cache.insert(Cache::key("", "x"), std::vector<float>(8));
  std::vector<float> row(4);
  EXPECT_FALSE(cache.find(Cache::key("", "x"), row));
}

}  // namespace
}  // namespace embd::server
