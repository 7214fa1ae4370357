#include "index/visited_set.h"

#include <gtest/gtest.h>

#include <vector>

namespace embd {
namespace {

using Nodes = std::vector<std::uint32_t>;

Nodes add_all(VisitedSet& set, const Nodes& nodes) {
  Nodes added(nodes.size());
  added.resize(set.add_all(nodes, added.data()));
  return added;
}

Nodes select_new(const VisitedSet& set, const Nodes& nodes) {
  Nodes selected(nodes.size());
  selected.resize(set.select_new(nodes, selected.data()));
  return selected;
}

TEST(VisitedSet, AddsManyInTheirOrderEachOnce) {
  VisitedSet set;
  set.prepare(1000);
  EXPECT_TRUE(set.add(70));
  EXPECT_EQ(add_all(set, {999, 70, 3, 999, 0, 71}), (Nodes{999, 3, 0, 71}));
  EXPECT_EQ(select_new(set, {71, 72, 0, 72, 1, 999}), (Nodes{72, 72, 1}));
  EXPECT_FALSE(set.add(71));
  EXPECT_EQ(add_all(set, {}), Nodes());
}

TEST(VisitedSet, IsClearAfterAnyNumberOfAdditions) {
  VisitedSet set;
  set.prepare(1000);
  Nodes all(1000);
  for (std::uint32_t node = 0; node < all.size(); ++node) all[node] = 999 - node;
  for (int time = 0; time < 600; ++time) {  // the numbers of walks begin anew twice
    EXPECT_TRUE(set.add(500));
    EXPECT_EQ(add_all(set, all).size(), all.size() - 1);
    EXPECT_EQ(select_new(set, all), Nodes());
    set.clear();
    EXPECT_EQ(select_new(set, all), all);
  }
}

TEST(VisitedSet, ForgetsANodeOfLongAgo) {
  VisitedSet set;
  set.prepare(2);
  EXPECT_TRUE(set.add(0));
  for (int walk = 1; walk < 1000; ++walk) {
    set.clear();
    EXPECT_TRUE(set.add(1));
    EXPECT_EQ(select_new(set, {0, 1}), Nodes{0}) << walk;
  }
}

TEST(VisitedSet, KeepsItsNodesWhereItGrows) {
  VisitedSet set;
  set.prepare(10);
  EXPECT_TRUE(set.add(7));
  set.prepare(1000);
  EXPECT_EQ(select_new(set, {7, 999}), Nodes{999});
}

}  // namespace
}  // namespace embd
