
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "analysis/density_groups.h"
#include "blobs.h"

namespace embd {
namespace {

/// The lengths of the minimum spanning tree by Prim's way, over all pairs.
std::vector<float> lengths_of_tree(const CosineRows& rows, std::size_t min_samples) {
  const std::size_t n = rows.size();
  std::vector<std::vector<float>> all(n, std::vector<float>(n));
  std::vector<float> cores(n);
  for (std::size_t a = 0; a < n; ++a) {
    const auto query = rows.distance().query(rows.stored(), a);
    for (std::uint32_t b = 0; b < n; ++b) all[a][b] = rows.distance()(query, rows.stored(), b);
    std::vector<float> others;
    for (std::size_t b = 0; b < n; ++b)
      if (b != a) others.push_back(all[a][b]);
    std::ranges::sort(others);
    cores[a] = min_samples > 1 ? others[min_samples - 2] : 0;
  }
  std::vector<float> best(n, std::numeric_limits<float>::infinity());
  std::vector<bool> in(n);
  std::vector<float> lengths;
  std::size_t row = 0;
  for (std::size_t step = 0; step + 1 < n; ++step) {
    in[row] = true;
    for (std::size_t b = 0; b < n; ++b)
      best[b] = std::min(best[b], std::max({all[row][b], cores[row], cores[b]}));
    std::size_t next = n;
    for (std::size_t b = 0; b < n; ++b)
      if (!in[b] && (next == n || best[b] < best[next])) next = b;
    lengths.push_back(best[next]);
    row = next;
  }
  std::ranges::sort(lengths);
  return lengths;
}

TEST(SpanningTree, IsThatOfAllPairsOnAnyThreads) {
  for (const double spread : {0.3, 1.5}) {
    const Matrix matrix = blob_rows(700, 12, 9, spread, 6);
    const CosineRows rows = CosineRows::create(matrix, 1).value();
    for (const std::size_t min_samples : {1, 2, 5, 12}) {
      // Few neighbours, so that most links are searched for beyond them.
      const NeighbourGraph graph =
          neighbour_graph(rows, std::max<std::size_t>(2, min_samples - 1), {}, {}).value();
      const auto tree = spanning_tree(rows, graph, min_samples, true, 1, {}).value();
      std::vector<float> lengths;
      for (const TreeLink& link : tree) lengths.push_back(link.distance);
      EXPECT_EQ(lengths, lengths_of_tree(rows, min_samples)) << min_samples;
      EXPECT_EQ(spanning_tree(rows, graph, min_samples, true, 4, {}).value(), tree);
    }
  }
}

TEST(SpanningTree, OfNeighboursAloneTiesItsPartsTogether) {
  const Matrix matrix = blob_rows(60, 12, 3, 0.05, 7);
  const CosineRows rows = CosineRows::create(matrix, 1).value();
  const NeighbourGraph graph = neighbour_graph(rows, 6, {}, {}).value();
  const auto tree = spanning_tree(rows, graph, 4, false, 1, {}).value();
  ASSERT_EQ(tree.size(), 59);
  EXPECT_EQ(tree[57].distance, 2);
  EXPECT_EQ(tree[58].distance, 2);
  EXPECT_LT(tree[56].distance, 0.1);
}

TEST(DensityGroups, AreTheRowsThatStayTogetherLongest) {
  // Two tight groups of four that are near one another, a wide one of five, and a row far away.
  const std::vector<TreeLink> tree = {{0.01F, 0, 1}, {0.01F, 1, 2},  {0.01F, 2, 3},  {0.01F, 4, 5},
                                      {0.01F, 5, 6}, {0.01F, 6, 7},  {0.2F, 0, 4},   {0.3F, 8, 9},
                                      {0.3F, 9, 10}, {0.3F, 10, 11}, {0.3F, 11, 12}, {0.5F, 0, 8},
                                      {0.9F, 0, 13}};
  EXPECT_EQ(density_groups(tree, 14, 4),
            (std::vector<std::int32_t>{1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0, 0, -1}));
  // None is as large as that, and all rows are no group.
  EXPECT_EQ(density_groups(tree, 14, 6), std::vector<std::int32_t>(14, -1));
}

}  // namespace
}  // namespace embd
